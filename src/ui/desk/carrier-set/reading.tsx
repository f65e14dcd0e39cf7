import type { FC } from "hono/jsx";
import type { Outcome } from "../../../model/message.ts";
import { SAMPLE } from "../../../operator/carrier-set/read-aloud.ts";
import type { ReadAloud } from "../../../operator/carrier-set/read-aloud.ts";
import { Card, Code, Field, Notice } from "../../parts.tsx";
import { fill, useTexts } from "./texts.ts";
import type { CarrierTexts } from "./texts.ts";

// The editor of a described carrier: what it would send, and what pasted answers and receipts mean.

/** The fields that take several lines. */
const LONG: ReadonlySet<string> = new Set(["sampleText", "answerHeaders", "answerBody", "receiptBody"]);

/** Fields that belong together begin alike. */
const GROUPS = ["sample", "answer", "receipt"] as const;

/** An outcome as one sentence. */
function outcomeText(t: CarrierTexts["reading"], outcome: Outcome, id: string | null): string {
  switch (outcome.kind) {
    case "submitted":
      return id === null ? t.taken : fill(t.takenId, { id });
    case "rejected":
      return fill(t.refusedCode, { code: outcome.code });
    case "unknown":
      return fill(t.unknownCode, { code: outcome.code });
    case "not_accepted":
    case "not_sent":
    case "released": {
      const code = "code" in outcome ? outcome.code : "";
      const afterMs = "retryAfterMs" in outcome ? outcome.retryAfterMs : undefined;
      if (afterMs === undefined) return fill(t.busyNow, { code });
      return fill(t.busyAfter, { code, sec: Math.ceil(afterMs / 1_000) });
    }
  }
}

/** A receipt as sentences. */
function receiptText(t: CarrierTexts["reading"], { receipt, settings }: NonNullable<ReadAloud["receipt"]>): string {
  if (receipt === "none" || settings === null) return t.noReceipts;
  if (receipt === "invalid") {
    return fill(t.badReceipt, { whose: settings.ref ?? settings.id ?? "", state: settings.state });
  }
  const state = t[`state_${receipt.state}`];
  const said = fill(settings.ref === undefined ? t.stateOfId : t.stateOfRef, { state, ref: receipt.ref });
  const code = receipt.code === undefined ? [] : [fill(t.withCode, { code: receipt.code })];
  return [said, ...code, ...(settings.hmac ? [t.unsigned] : [])].join(" ");
}

const TONE = { submitted: "ok", rejected: "bad" } as const;

const Said: FC<{ of: ReadAloud }> = ({ of: { method, request, answer, receipt } }) => {
  const { reading: t } = useTexts();
  const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const kind = answer?.outcome.kind;
  return (
    <>
      {answer && (
        <Notice tone={kind === "submitted" || kind === "rejected" ? TONE[kind] : "info"}>
          {outcomeText(t, answer.outcome, answer.id)}
        </Notice>
      )}
      {receipt && <Notice tone={typeof receipt.receipt === "string" ? "bad" : "ok"}>{receiptText(t, receipt)}</Notice>}
      {request === null ? (
        <Notice tone="bad">{t.unfitAddress}</Notice>
      ) : (
        <Code
          label={t.request}
          text={[
            `${method} ${request.url}`,
            ...headers,
            ...(request.body === undefined ? [] : ["", request.body]),
          ].join("\n")}
        />
      )}
    </>
  );
};

/** Part of the carrier's form, so that it reads what is typed, saved or not. */
export const Reading: FC<{ action: string; typed: Readonly<Record<string, string>>; aloud: ReadAloud | undefined }> = ({
  action,
  typed,
  aloud,
}) => {
  const { reading: t } = useTexts();
  const names = Object.keys(SAMPLE) as (keyof typeof SAMPLE)[];
  return (
    <Card title={t.tryTitle} id="try">
      <div class="stack">
        <p class="dim small">{t.tryLead}</p>
        {aloud && <Said of={aloud} />}
        {GROUPS.map((group) => (
          <div class="two">
            {names
              .filter((name) => name.startsWith(group))
              .map((name) => (
                <Field
                  label={t[name]}
                  name={name}
                  value={typed[name] ?? SAMPLE[name]}
                  type={LONG.has(name) ? "textarea" : "text"}
                  mono={group !== "sample"}
                  autocomplete="off"
                />
              ))}
          </div>
        ))}
        <div>
          <button class="btn quiet" name="do" value="read" formnovalidate formaction={`${action}#try`}>
            {t.show}
          </button>
        </div>
      </div>
    </Card>
  );
};
