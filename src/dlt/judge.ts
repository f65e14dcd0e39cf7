import type { DltFields } from "../model/carrier/carrier.ts";
import type { DltParam, DltRefusal, DltRefused, DltRegistry, OtpPiece } from "../model/carrier/dlt.ts";
import type { DltAsked } from "../model/command.ts";
import { maskOtp, outgoingText, readOtpText } from "../text/otp-text.ts";
import { nextHours } from "./hours.ts";
import type { Hours } from "./hours.ts";
import { otpPieces } from "./otp.ts";
import { Registry } from "./registry.ts";
import type { Mismatch, Template } from "./registry.ts";
import { comparable } from "./template.ts";

// What India's rules say of a message, in the order of contract §17.2: its header, its text, the header of the template,
// the hours.

/** A message, and when it goes out. */
export interface Judging extends DltAsked {
  /** Ms since the epoch. */
  atMs: number;
  hours: Hours;
}

/** What goes to the carrier with a message, and why an operator would drop it (null: it would not). */
export interface Judged {
  refusal: DltRefusal | null;
  fields: DltFields;
  sender?: string;
}

/** Characters that are quoted of a text. */
const QUOTED = 20;

/** Templates of a registry that are known to have one. */
const templatesOf = ({ otp, templates }: DltRegistry) =>
  templates.filter(({ templateId }) => templateId === otp?.templateId);

/** A registry whose account matches its messages, compiled for all that will be matched. */
export class Rules {
  /** The pieces of the account's own text of one-time passwords; undefined: they have the service's text. */
  readonly otp: OtpPiece[] | undefined;
  readonly isStrict: boolean;
  readonly #entityId: string;
  readonly #headers: ReadonlySet<string>;
  readonly #registry: Registry;
  /** The template of one-time passwords alone: their text is made of it, whatever other template it would fit. */
  readonly #otpRegistry: Registry | null;

  constructor(registry: DltRegistry) {
    this.isStrict = registry.enforce === "on";
    this.#entityId = registry.entityId ?? "";
    this.#headers = new Set(registry.headers.map(({ header }) => header));
    this.#registry = new Registry(registry.templates);
    const [template] = templatesOf(registry);
    this.#otpRegistry = template ? new Registry([template]) : null;
    this.otp = template && registry.otp ? otpPieces(template.text, registry.otp.values) : undefined;
  }

  /** What the rules say of a message. A one-time password's text is given as the service's own, whatever goes out. */
  judge({ operation, sender, text, atMs, hours }: Judging): Judged {
    const fields = { entityId: this.#entityId, templateId: null, category: null };
    const given = sender === undefined ? {} : { sender };
    const refused = (refusal: DltRefusal): Judged => ({ refusal, fields, ...given });
    const param = operation === "otp" ? "otp" : "message";
    if (sender !== undefined && !this.#headers.has(sender)) return refused(refusedHeader(620, null, "", sender));
    const matched = this.#match(operation, text, sender);
    if ("mismatch" in matched) {
      return refused({ reason: "dlt_mismatch", param, dlt: this.#shown(matched.mismatch, text, operation) });
    }
    const { templateId, headers, category } = matched.template;
    const [first = ""] = headers;
    if (sender !== undefined && !headers.includes(sender)) {
      return refused(refusedHeader(634, templateId, first, sender));
    }
    const judged = { fields: { ...fields, templateId, category }, sender: sender ?? first };
    const nextAt = category === "promotional" ? nextHours(hours, atMs) : null;
    if (nextAt === null) return { refusal: null, ...judged };
    return { refusal: { reason: "dlt_hours", param, nextAt }, fields, sender: judged.sender };
  }

  /** Whether a text fits a template, whatever its header and the hours. */
  fits(text: string): boolean {
    return this.#registry.find(text) !== null;
  }

  #match(
    operation: DltAsked["operation"],
    text: string,
    sender: string | undefined,
  ): { template: Template } | { mismatch: Mismatch } {
    if (operation === "otp" && this.#otpRegistry) return this.#otpRegistry.match(outgoingText(text, this.otp), sender);
    return this.#registry.match(text, sender);
  }

  /** A mismatch as it is told: of a one-time password, without the code. */
  #shown(mismatch: Mismatch, text: string, operation: DltAsked["operation"]): DltRefused {
    const sent = readOtpText(text);
    // A code that is sent as an SMS has the same text.
    if (operation !== "otp" && !sent) return mismatch;
    const chars = [...comparable(outgoingText(text, operation === "otp" ? this.otp : undefined))];
    const code = sent?.code ?? "";
    // By places, since what is quoted may begin within the code.
    const masked =
      code === "" ? chars.map(() => "•") : [...chars.join("").replaceAll(code, maskOtp({ code, brand: "" }).code)];
    return { ...mismatch, found: masked.slice(mismatch.at, mismatch.at + QUOTED).join("") };
  }
}

/** A refusal of a header that is not registered at all (620), or not for the template (634). */
const refusedHeader = (code: 620 | 634, templateId: string | null, expected: string, found: string): DltRefusal => ({
  reason: "dlt_header",
  param: "senderId" satisfies DltParam,
  dlt: { code, templateId, at: 0, expected, found },
});

/** The same as one line for `X-Dlt-Warning`: ASCII, and nothing of a text. */
export function warningOf(refusal: DltRefusal): string {
  if (refusal.reason === "dlt_hours") {
    return `dlt_hours; next_at=${new Date(refusal.nextAt).toISOString().replace(".000Z", "Z")}`;
  }
  const { code, templateId, at, found } = refusal.dlt;
  const template = templateId === null ? [] : [`template=${templateId}`];
  if (refusal.reason === "dlt_header") return [code, ...template, `header=${found}`].join("; ");
  return [code, ...template, ...(templateId === null ? [] : [`at=${at}`])].join("; ");
}
