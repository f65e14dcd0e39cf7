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
  | "Events"
  | "Webhooks"
  | "Recordings"
  | "Test inbox"
  | "Ways in"
  | "Operator: accounts"
  | "Operator: service";

/** One operation. */
export interface Doc {
  /** The operation's id, in lower camel case: `sendSms`. Clients have a method of this name. */
  id: string;
  tag: Tag;
  /** One line without a full stop. */
  summary: string;
  /** Paragraphs in Markdown. */
  description?: string;
  /** The name of the reply's schema (`src/openapi/replies.ts`). */
  reply: string;
  /** Whether it debits the balance. */
  billable?: true;
  /** Error codes beyond those that its middleware implies. */
  codes?: readonly ErrorCode[];
  /** What the parts of the path are, by name. */
  path?: Readonly<Record<string, string>>;
}

/** The operations of one file, by method and path as mounted: `"GET /v1/messages"`. */
export type Docs = Readonly<Record<`${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`, Doc>>;
