import type { Command, Option } from "../command.ts";
import { preflight as tell } from "../preflighted.ts";
import { usage } from "../stop.ts";
import { SENDING } from "../sending.ts";
import { givenTo } from "../parse.ts";
import { bulk } from "./bulk.ts";
import { SENDS } from "./sends.ts";

const SENDERS = [...SENDS, bulk];

/** The options of all sending commands, none of them needed here: which are depends on the command. */
function optionsOfAll(): Record<string, Option> {
  const all = Object.assign({}, ...SENDERS.map(({ options }) => options)) as Record<string, Option>;
  const own = Object.entries(all).filter(([name]) => !(name in SENDING));
  return Object.fromEntries(own.map(([name, { need: _need, ...option }]) => [name, option]));
}

const OPTIONS = optionsOfAll();

/** `dastak preflight`: what a send would do. */
export const preflight: Command = {
  name: "preflight",
  about: "Tell what a send would cost, and what is wrong with it",
  more: "The same as the command with --dry-run. It ends with 4 where the send would be refused.",
  args: [{ name: "COMMAND", about: "Which send", values: SENDERS.map(({ name }) => name) }],
  options: OPTIONS,
  examples: ["dastak preflight send-sms --to 9876543210 --text 'Your order “42” has left.'"],
  async run(context, given) {
    const command = SENDERS.find(({ name }) => name === given.arg(0));
    if (!command) throw usage("There is no such send.");
    const words = Object.keys(OPTIONS).flatMap((name) => {
      if (given.flag(name)) return [`--${name}`];
      const value = given.text(name);
      return value === undefined ? [] : [`--${name}=${value}`];
    });
    await tell(context, context.connect(), await command.order(givenTo(command, words)));
  },
};
