// A user's program, which the tests run under Node 20, Node 24 and workerd with the packed package. It uses nothing
// but the package and what every runtime has.
import { DastakError, dastak, signWebhook, verifyWebhook } from "dastak";

const failureOf = async (promise) => {
  try {
    await promise;
    return "no failure";
  } catch (error) {
    if (!(error instanceof DastakError)) return String(error);
    const { code, param, status, isUnknown } = error;
    return { code, param, status, isUnknown, named: typeof error.requestId === "string" };
  }
};

export async function check({ apiKey, baseUrl, broken, nobody }) {
  const client = dastak({ apiKey, baseUrl });
  const sms = { phone: "9876543210", message: "From a program" };
  const sent = await client.sendSms(sms, { idempotencyKey: "order-4711" });
  const again = await client.sendSms(sms, { idempotencyKey: "order-4711" });
  const behind = await dastak({ apiKey, baseUrl: broken }).sendSms({ ...sms, message: "Once" });
  const message = await client.waitFor(sent.messageId);
  const listed = [];
  for await (const { id } of client.listMessages({ limit: 1 })) listed.push(id);
  const pieces = [];
  for await (const piece of client.downloadMessages()) pieces.push(piece);
  const { balance } = await client.accountBalance();
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const body = JSON.stringify({ type: "message.delivered" });
  const signed = await signWebhook(body, "evt_1", secret);
  const aborted = new AbortController();
  aborted.abort();
  return {
    used: [sent.coins_used, again.coins_used, behind.coins_used],
    sameMessage: sent.messageId === again.messageId && sent.messageId.startsWith("msg_"),
    replayed: [sent.replayed, again.replayed],
    balance,
    became: [message.state, message.id === sent.messageId],
    listed: [listed.length, listed.includes(sent.messageId), pieces.join("").includes(sent.messageId)],
    refused: await failureOf(client.sendSms({ phone: "123", message: "x" })),
    badKey: await failureOf(dastak({ apiKey: "dsk_test_nope", baseUrl }).accountBalance()),
    nobody: await failureOf(dastak({ apiKey, baseUrl: nobody, retries: 0 }).sendSms(sms)),
    aborted: await failureOf(client.sendSms(sms, { signal: aborted.signal })),
    webhook: await verifyWebhook(body, new Headers(signed), ["whsec_AAAA", secret]),
    forged: await verifyWebhook(`${body} `, signed, secret).catch((error) => error.reason),
  };
}
