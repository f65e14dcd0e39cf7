import type { Command } from "../command.ts";
import { wireOf } from "../reply.ts";

// Hooks of other products (contract §15).

const create: Command = {
  name: "hooks create",
  about: "Let Supabase Auth send its codes with this key",
  more: "Nothing is stored: the same key and brand show the same hook again. It ends with the key.",
  args: [{ name: "KIND", about: "Whose hook it is", values: ["supabase"] }],
  options: { brand: { type: "string", about: "The name in the text; else that of the service" } },
  examples: ["dastak hooks create supabase --brand Shop"],
  async run({ out, connect }, given) {
    const reply = await connect().client.createHook({ kind: "supabase", brandName: given.text("brand") });
    const pairs = [
      ["address", reply.hook.url],
      ["secret", reply.secret],
      ["key", reply.hook.key_id],
    ] as const;
    out.show(wireOf(reply), () => `${out.facts(pairs)}\nEnter address and secret at Supabase: Auth Hooks, Send SMS.`);
  },
};

export const HOOKS: readonly Command[] = [create];
