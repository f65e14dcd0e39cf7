import type { Customer, Service } from "../../harness/started.ts";

// Customers that send with idempotency keys, and remember the replies.

/** One request and its outcome. */
export interface Order {
  customer: Customer;
  key: string;
  at: string;
  body: object;
  /** Numbers that no other order uses, so that they identify its messages. */
  recipients: string[];
  /** The body of the reply with 200; absent while the outcome is unknown. */
  told?: string;
  /** The 5xx reply that left the outcome unknown, if there was one. */
  doubt?: string;
}

let numbers = 9_200_000_000;

/** An order; consecutive numbers alternate between four kinds. */
export function newOrder(customer: Customer, number: number): Order {
  const kind = number % 4;
  const phones = Array.from({ length: kind === 1 ? 3 : 1 }, () => String(numbers++));
  const [phone] = phones;
  const message = `Order ${number}`;
  const [at, body] = [
    ["/send-sms", { phone, message }] as const,
    ["/send-bulk-sms", { recipients: phones, message }] as const,
    ["/send-otp", { phone, otp: String(100_000 + number) }] as const,
    ["/api/tts-call", { callee: phone, text: message }] as const,
  ][kind]!;
  return { customer, key: `order-${number}-${phone}`, at, body, recipients: phones.map((one) => `+91${one}`) };
}

/** Sends an order; returns false if its outcome is unknown (a broken connection or 5xx), throws on other failures. */
async function place(service: Service, order: Order): Promise<boolean> {
  const { customer, at, body, key } = order;
  const reply = await service.post(customer.apiKey, at, body, { "idempotency-key": key }).catch(() => null);
  if (!reply) return false;
  const text = reply.bytes.toString();
  // While it starts or stops, the service may be unable to determine the outcome.
  if (reply.status >= 500) {
    order.doubt = `${reply.status} ${text}`;
    return false;
  }
  if (reply.status !== 200) throw new Error(`${at} was answered ${reply.status}: ${text}`);
  order.told = text;
  return true;
}

/** Sends orders, `atOnce` in parallel, until all were tried or `isOver` returns true. */
export async function sendAll(
  service: Service,
  orders: Order[],
  { atOnce, isOver }: { atOnce: number; isOver: (answered: number) => boolean },
): Promise<Order[]> {
  const waiting = [...orders];
  const tried: Order[] = [];
  let answered = 0;
  const worker = async () => {
    for (let order = waiting.shift(); order && !isOver(answered); order = waiting.shift()) {
      tried.push(order);
      if (await place(service, order)) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return tried;
}

/** Repeats an order with its key, which settles an unknown outcome; `same`: identical to an earlier 200 to the byte. */
export async function repeat(service: Service, order: Order): Promise<{ replayed: boolean; same: boolean }> {
  const { customer, at, body, key } = order;
  const reply = await service.post(customer.apiKey, at, body, { "idempotency-key": key });
  const text = reply.bytes.toString();
  if (reply.status !== 200) throw new Error(`${at} was answered ${reply.status} when repeated: ${text}`);
  const same = order.told === undefined || order.told === text;
  order.told = text;
  return { replayed: reply.headers["idempotent-replayed"] === "true", same };
}
