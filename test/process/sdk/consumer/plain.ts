import { dastak, verifyWebhook } from "dastak";
import type {
  AccountEvent,
  Dastak,
  DastakError,
  DastakOptions,
  ErrorCode,
  OwnCode,
  RowOf,
  SendSmsBody,
  Sent,
} from "dastak";

// A user's program that has only the language's own library: no DOM, no Node. It is compiled, and never run.

const options: DastakOptions = { apiKey: "dsk_test_…", baseUrl: "https://{base}.example.com", retries: 2 };
export const client: Dastak = dastak(options);

export async function send(body: SendSmsBody): Promise<string> {
  const sent = await client.sendSms(body, { idempotencyKey: "order-4711" });
  const [id, spent]: [string, number] = [sent.messageId, sent.coins_used];
  const sure: boolean = sent.replayed;
  return `${id} ${spent} ${sure} ${sent.requestId}`;
}

/** Branches on every code, so that the compiler notices a new one. */
export function advice(error: DastakError): string {
  const code: ErrorCode | OwnCode = error.code;
  if (error.isUnknown) return `Repeat it with ${error.idempotencyKey ?? "no key"}.`;
  switch (code) {
    case "insufficient_balance":
      return "Buy coins.";
    case "rate_limited":
      return `Wait ${error.retryAfterMs ?? 0} ms.`;
    case "connection":
    case "unexpected":
      return "Look at the network.";
    default: {
      const other: Exclude<ErrorCode, "insufficient_balance" | "rate_limited"> = code;
      return `${other}: ${error.message} (${error.param ?? "no field"}, ${error.hint ?? "no hint"})`;
    }
  }
}

export async function follow(after: number): Promise<number> {
  let last = after;
  for await (const event of client.events({ after })) {
    const { seq, type, data }: AccountEvent = event;
    if (type === "message.delivered") return data.cost + data.message_id.length;
    if (type === "balance.low" && typeof data["balance"] === "number") return data["balance"];
    last = seq;
  }
  return last;
}

export async function webhook(payload: string, headers: Record<string, string | string[] | undefined>): Promise<void> {
  const body = await verifyWebhook(payload, headers, ["whsec_new", "whsec_old"]);
  if (body.type === "batch") for (const { seq } of body.data) await client.waitFor(String(seq));
  else if (body.type === "message.failed") await send({ phone: body.data.to, message: body.data.error_code ?? "" });
}

export const asked = (phone: string, fileId: string) => [
  client.preflight({ operation: "sms", phone, message: "" }),
  client.preflight({ operation: "bulk", recipients: [phone], message: "", sendAt: "2027-01-01T00:00:00Z" }),
  client.preflight({ operation: "voice", callee: phone, fileId }),
];

export const byHand = (): Promise<{ name: string } & { requestId: string }> => client.request({ path: "/v1/account" });
export type Row = RowOf<{ data: { id: string }[] }>;
export type SentSms = Sent<{ message: string }>;

// What is wrong does not compile.

// @ts-expect-error -- a text is missing
export const noText = () => client.sendSms({ phone: "9876543210" });
// @ts-expect-error -- a number is a text
export const number = () => client.sendSms({ phone: 9_876_543_210, message: "" });
// @ts-expect-error -- no such field
export const unknown = () => client.sendSms({ phone: "", message: "", phnoe: "" });
// @ts-expect-error -- a text is missing here, too
export const notPriced = () => client.preflight({ operation: "sms", phone: "" });
// @ts-expect-error -- an SMS has no list
export const noList = () => client.preflight({ operation: "sms", phone: "", message: "", recipients: [] });
// @ts-expect-error -- a bulk has a list
export const noPhone = () => client.preflight({ operation: "bulk", phone: "", message: "" });
// @ts-expect-error -- there is no address
export const nowhere = () => dastak({ apiKey: "" });
// @ts-expect-error -- four of five addresses
export const four = () => dastak({ apiKey: "", baseUrl: { sms: "", tts: "", voice: "", otp: "" } });
// @ts-expect-error -- no such code
export const noCode = (error: DastakError) => error.code === "no_such_code";
// @ts-expect-error -- a read has no message
export const noMessage = async () => (await client.accountBalance()).messageId;
