import { Rules } from "../../../dlt/judge.ts";
import { samplesOf } from "../../../dlt/samples.ts";
import type { DltSample, DltTried } from "../../../model/carrier/dlt.ts";
import type { DltAsked } from "../../../model/command.ts";
import { readOtpText } from "../../../text/otp-text.ts";
import { bytesOrNull } from "../../rows.ts";
import { sealedText } from "../retention/text-keys.ts";
import type { Turn } from "../turn.ts";
import { readDlt, rulesOf } from "./rows.ts";

// What the page of the registry asks: nothing here is on the way of a send, or changes anything.

/** Texts that are looked at for samples, newest first, and samples that are made of them. */
const TEXTS_MAX = 200;
const SAMPLES_MAX = 8;

/** What the rules would say of a text now, also where they are off. */
export function tryDlt(turn: Turn, asked: DltAsked): DltTried {
  const { sql, nowMs, dltHours: hours } = turn;
  const registry = readDlt(sql);
  const rules = rulesOf(sql) ?? new Rules(registry);
  const { refusal, fields, sender = null } = rules.judge({ ...asked, atMs: nowMs, hours });
  const nearest = refusal && "dlt" in refusal ? refusal.dlt.templateId : fields.templateId;
  return { refusal, template: registry.templates.find(({ templateId }) => templateId === nearest) ?? null, sender };
}

/** Templates that could be registered: of the newest SMS, those that fit none that is. */
export function dltSamples({ sql, unseal }: Turn): DltSample[] {
  const query = "SELECT text FROM job WHERE operation = 'sms' AND text IS NOT NULL ORDER BY seq DESC LIMIT ?";
  const registry = readDlt(sql);
  const rules = new Rules({ ...registry, otp: null });
  const texts: string[] = [];
  for (const row of sql.exec(query, TEXTS_MAX)) {
    const sealed = sealedText(sql, bytesOrNull(row, "text"));
    if (!sealed) continue;
    try {
      texts.push(unseal(sealed));
    } catch {
      // A secret that is not listed any more sealed it: it cannot be shown, and is no sample.
    }
  }
  const unknown = [...new Set(texts)].filter((text) => readOtpText(text) === null && !rules.fits(text));
  return samplesOf(
    texts.filter((text) => unknown.includes(text)),
    SAMPLES_MAX,
  );
}
