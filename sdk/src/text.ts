import { errorOf, unanswered } from "./verdict.ts";
import type { CallOptions } from "./options.ts";
import type { Route, Values } from "./route.ts";
import type { Transport } from "./transport.ts";

/** A reply that is no JSON, such as an export, in pieces as they come. Iterating again asks again. */
export function textOf(
  transport: Transport,
  route: Route,
  values: Values,
  options?: CallOptions,
): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => piecesOf(transport, route, values, options) };
}

async function* piecesOf(transport: Transport, route: Route, values: Values, options?: CallOptions) {
  const { reply, end } = await transport.stream(route, values, options);
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((problem: unknown) => {
        throw errorOf(unanswered(problem), { idempotencyKey: undefined, isUnknown: false });
      });
      const piece = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (piece !== "") yield piece;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
    end?.();
  }
}
