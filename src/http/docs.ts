import type { BaseName } from "./bases.ts";
import type { ErrorCode } from "./errors.ts";

// The prose of the API's document, which stands beside each route: `export const docs = {…} satisfies Docs`. It is a
// literal that nothing in the Worker reads, so no Worker carries it. Everything else in the document (paths, key places,
// bodies, parameters) is read from the middleware that runs (shown.ts).

/** The groups of operations, in the order in which the document has them. */
export type Tag =
  | "SMS"
  | "OTP"
  | "Calls"
  | "Account"
  | "Messages"
  | "DLT"
  | "Events"
  | "Webhooks"
  | "Recordings"
  | "Test inbox"
  | "Ways in"
  | "Operator: accounts"
  | "Operator: carriers"
  | "Operator: service";

/** What a WebSocket takes, and how it ends. */
export interface SocketDoc {
  /** What a client may send, each with what follows. */
  takes: Readonly<Record<string, string>>;
  /** The codes with which the service closes it, each with what a client does then. */
  closes: Readonly<Record<number, string>>;
}

/** One operation. */
export interface Doc {
  /** The operation's id, in lower camel case: `sendSms`. Clients have a method of this name. */
  id: string;
  tag: Tag;
  /** One line without a full stop. */
  summary: string;
  /** Paragraphs in Markdown. */
  description?: string;
  /** The name of the JSON reply's schema (`src/openapi/replies.ts`); left out where every reply is of another type. */
  reply?: string;
  /** Replies of other media types, each with one sentence: `{ "text/csv": "One line for each message." }`. */
  media?: Readonly<Record<string, string>>;
  /** Bodies of other media types than JSON, in the same way. */
  bodyMedia?: Readonly<Record<string, string>>;
  /** What it is as a WebSocket; `reply` is then the schema of one text of the service. */
  socket?: SocketDoc;
  /** Whether it debits the balance, and names what it sent in `X-Message-Id`. */
  billable?: true;
  /** Whether its messages are matched with the account's DLT registry (contract §17). */
  matched?: true;
  /** Whether it takes an Idempotency-Key; without this, those operations do that POST and are counted by the rate limit. */
  idempotent?: boolean;
  /** Error codes beyond those that its middleware implies. */
  codes?: readonly ErrorCode[];
  /** The name of the failures' schema, where they are not those of contract §3. */
  failure?: string;
  /** What the parts of the path are, by name. */
  path?: Readonly<Record<string, string>>;
  /** Its base, where the folder of its file does not say that. */
  base?: BaseName;
}

/** A route that the document leaves out, with the reason. */
export interface Undocumented {
  leftOut: string;
}

/** The operations of one file, by method and path as mounted: `"GET /v1/messages"`. */
export type Docs = Readonly<
  Record<`${"GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ALL"} /${string}`, Doc | Undocumented>
>;
