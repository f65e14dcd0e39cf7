import { OPERATOR_TOKEN } from "../../harness/service.mjs";
import { startService } from "../../harness/started.ts";
import { SETTINGS } from "./wire-settings.ts";
import { Target } from "./wire-target.ts";

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
  await target.makeKnown(await target.adoptDemo());
  return target;
}
