import { carrierSetting, closedIn, resealDocument, sealedBy } from "../../carriers/stored.ts";
import { configOf } from "../../config/config.ts";
import { logLine } from "../../log.ts";

/**
 * Seals the secrets of carriers anew with the SEAL_SECRET that makes, so that an older one can be taken from the list: they
 * are the only sealed things that do not end by themselves (docs/secrets.md). Says in the log whose it cannot open.
 */
export async function resealCarriers(env: Env): Promise<void> {
  const { SEAL_SECRET } = configOf(env);
  const document = await carrierSetting.change(env.RECORDINGS, (before) => resealDocument(SEAL_SECRET, before));
  const closed = closedIn(SEAL_SECRET, document);
  if (closed.length === 0) return;
  const ids = [...sealedBy(document)].filter((id) => !SEAL_SECRET.withId(id)).join(" ");
  logLine("alert", { what: "secrets of carriers do not open", carriers: closed.join(" "), unlisted_secrets: ids });
}
