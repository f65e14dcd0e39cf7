import { carrierSetting, resealDocument, sealedBy } from "../../carriers/stored.ts";
import { configOf } from "../../config/config.ts";
import { logLine } from "../../log.ts";

/**
 * Seals the secrets of carriers anew with the SEAL_SECRET that makes, so that an older one can be taken from the list: they
 * are the only sealed things that do not end by themselves (docs/secrets.md). Says in the log which secrets it cannot open.
 */
export async function resealCarriers(env: Env): Promise<void> {
  const { SEAL_SECRET } = configOf(env);
  const document = await carrierSetting.change(env.RECORDINGS, (before) => resealDocument(SEAL_SECRET, before));
  const unlisted = [...sealedBy(document)].filter((id) => !SEAL_SECRET.withId(id));
  if (unlisted.length > 0) logLine("alert", { what: "carriers sealed by an unlisted secret", ids: unlisted.join(" ") });
}
