import type * as z from "zod";
import type { Price } from "../model/command.ts";
import type { Destination } from "../model/rules/rules.ts";
import type { Content, Operation } from "../model/message.ts";
import { RECIPIENTS_MAX, SEND_LATE_MS } from "../model/operations.ts";
import type { SendKind } from "../model/operations.ts";
import type { RateCard } from "../money/pricing.ts";
import type { Reply } from "./replies.ts";

// How a body becomes a priced order: one way for each endpoint that sends, which the endpoint and its preflight share.

/** A priced order of a customer. */
export interface Order {
  /** By which endpoint it comes: a quote is for one of them. */
  kind: SendKind;
  operation: Operation;
  /** E.164, each once. */
  recipients: string[];
  price: Price;
  content: Content;
  /** The text that goes out, or null for a recording. */
  text: string | null;
  notOffered?: Destination;
  /** Where a call goes to which the rate card gives no price; only an account that names the country calls there. */
  unpriced?: Destination;
  /** The caller's name of the field with the number, where it is another. */
  numberField?: string;
  /** When to send it, in ms since the epoch; absent: at once. */
  sendAtMs?: number | undefined;
  /** How long it may wait for a carrier, in ms, where that is less than its operation's. */
  validityMs?: number | undefined;
}

export interface Ordered {
  order: Order;
  reply: Reply;
}

interface Way<S extends z.ZodObject> {
  schema: S;
  /** The field with the number, or with the list of them. */
  numbers: "phone" | "callee" | "recipients";
  /** The field on which the price depends; null where it depends on none. */
  priced: "message" | "text" | "fileId" | null;
  /** The fields of which the text is made, and how many characters it may have; null where there is no text. */
  text: { from: readonly string[]; max: number } | null;
  /** A body without a fault: its fields stand in for faulty ones. */
  example: Readonly<Record<string, unknown>>;
  /** The order of a body without faults. */
  order: (body: z.output<S>, card: RateCard) => Ordered;
}

/** What can be told of a body that may have faults. */
export interface Draft extends Ordered {
  /** Every fault. */
  issues: readonly Issue[];
  /** The fields that have one: what is required of them has the example's value in `order`. */
  faulty: ReadonlySet<string>;
  numbers: Numbers;
}

type Issue = z.core.$ZodIssue;

/** The numbers of a body. */
export interface Numbers {
  given: number;
  /** Each once. */
  valid: number;
  /** How many repeat an earlier one. */
  duplicates: number;
  /** The faulty ones by their place, from 0. */
  invalid: { index: number; value: unknown; issue: Issue }[];
}

/** The time of a request for later, in ms: one that has only just passed is now, and one that is past is refused later on. */
export function laterOf(sendAt: number | undefined): number | undefined {
  if (sendAt === undefined) return undefined;
  const sinceMs = Date.now() - sendAt;
  return sinceMs >= 0 && sinceMs <= SEND_LATE_MS ? undefined : sendAt;
}

type Body = Readonly<Record<string, unknown>>;

/** What a body has for numbers; a list that is none has none. */
function numbersIn(body: Body, field: string): readonly unknown[] {
  const { [field]: value = null } = body;
  if (field === "recipients") return Array.isArray(value) ? value : [];
  return value === null ? [] : [value];
}

/** A body without its faults: with the example's value for a faulty field that is required, and without any other. */
function mended(body: Body, faulty: ReadonlySet<string>, example: Body): Body {
  const others = Object.entries(body).filter(([name]) => !faulty.has(name));
  const missing = Object.entries(example).filter(([name]) => faulty.has(name));
  return Object.fromEntries([...others, ...missing]);
}

/** Makes the way of an endpoint; `draft` is for its preflight. */
export function ordering<S extends z.ZodObject>(way: Way<S>) {
  const { schema, numbers, example, order } = way;
  const issuesOf = (body: Body): readonly Issue[] => schema.safeParse(body).error?.issues ?? [];

  /** Every fault of a body, and the order that it is without them. Of a list that is too long, the end is not looked at. */
  function draft(body: Body, card: RateCard): Draft {
    const given = numbersIn(body, numbers);
    const looked = given.slice(0, RECIPIENTS_MAX);
    const isLong = looked.length < given.length;
    const tooLong = isLong ? issuesOf(body).filter(({ path }) => path[0] === numbers) : [];
    const shorter = isLong ? { ...body, [numbers]: looked } : body;
    const issues = issuesOf(shorter);
    const invalid = new Map<number, Issue>();
    for (const issue of issues) {
      const [name, index = 0] = issue.path;
      if (name === numbers && Number(index) < looked.length) invalid.set(Number(index), issue);
    }
    const good = looked.filter((_, at) => !invalid.has(at));
    const faulty = new Set(issues.map(({ path }) => String(path[0])));
    const own = mended(shorter, faulty, example);
    const isList = numbers === "recipients" && good.length > 0;
    const ordered = order(schema.parse(isList ? { ...own, recipients: good } : own), card);
    const valid = good.length === 0 ? 0 : ordered.order.recipients.length;
    return {
      ...ordered,
      issues: [...tooLong, ...issues],
      faulty,
      numbers: {
        given: given.length,
        valid,
        duplicates: good.length - valid,
        invalid: [...invalid].map(([index, issue]) => ({ index, value: looked[index], issue })),
      },
    };
  }
  return { ...way, draft };
}

/** The way of any endpoint, for which only the faults of a body decide. */
export type Drafting = Pick<ReturnType<typeof ordering>, "draft" | "priced" | "text">;
