import { OPERATOR_TOKEN } from "../../harness/service.mjs";
import { newAccountId } from "../../src/crypto/ids.ts";
import { startService } from "../../harness/started.ts";
import { SETTINGS, Target } from "./wire-target.ts";

// `npm start` as the target of the fuzzer over the wire, with the same hosts and operator token as the bundle.

/** Starts the target; its output is the log that the fuzzer reads. */
export async function startStarted(): Promise<Target> {
  const service = await startService({ set: { ...SETTINGS, OPERATOR_TOKEN } });
  let seen = service.program.output.length;
  const read = () => {
    const text = service.program.output.slice(seen);
    seen += text.length;
    return text;
  };
  const target = new Target(service.port, { read, close: () => undefined }, async () => {
    await service.stop();
  });
  // The demo account exists already, with fewer coins and a lower rate limit than the fuzzer needs.
  const id = newAccountId(SETTINGS.KEY_SECRET, "demo-account");
  await target.operator("PATCH", `/accounts/${id}`, { plan: "premium" });
  await target.operator("POST", `/accounts/${id}/credits`, { amount: 99_000, reference: "fuzzer" });
  await target.makeKnown(await target.adopt(id, service.demo.apiKey, service.demo.testKey));
  return target;
}
