import { logProblem } from "../log.ts";
import { COME_BACK } from "../model/live.ts";

// The WebSockets of one object: they hibernate with it, answer heartbeats without waking it, and never write a row.
// What a client misses while it is away, its next connection brings.

/** Clients of one object at once: more tabs than people have open, and a bound on the work per change. */
export const SOCKETS_MAX = 32;

/** A client has to connect again after this, so that a session that ended does not go on listening. */
export const SOCKET_MS_MAX = 900_000;

/** What a socket keeps while the object hibernates. */
type Attached<Wants extends object> = Wants & { openedAt: number };

/** The clients of one object; `Wants` is what each of them asked for when it connected. */
export class Sockets<Wants extends object> {
  readonly #ctx: DurableObjectState;
  readonly #feed: string;

  /** `feed` names the feed in the log. */
  constructor(ctx: DurableObjectState, feed: string) {
    this.#ctx = ctx;
    this.#feed = feed;
  }

  /** Whether no client is connected. */
  get isEmpty(): boolean {
    return this.#ctx.getWebSockets().length === 0;
  }

  /** Accepts a client and sends it `first`; 503 when the object has as many clients as it takes. */
  accept(wants: Wants, first: object | null): Response {
    if (this.#ctx.getWebSockets().length >= SOCKETS_MAX) return new Response(null, { status: 503 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    server.serializeAttachment({ ...wants, openedAt: Date.now() } satisfies Attached<Wants>);
    if (first) server.send(JSON.stringify(first));
    return new Response(null, { status: 101, webSocket: client });
  }

  /**
   * Sends each client the text that `textFor` makes for it, unless that is null. Never throws: a client that is gone, or
   * a text that cannot be made, disturbs no other client and no caller.
   */
  send(textFor: (wants: Wants) => string | null): void {
    const nowMs = Date.now();
    for (const socket of this.#ctx.getWebSockets()) {
      try {
        const { openedAt, ...wants } = socket.deserializeAttachment() as Attached<Wants>;
        const text = textFor(wants as unknown as Wants);
        if (text === null) continue;
        if (nowMs - openedAt < SOCKET_MS_MAX) socket.send(text);
        else socket.close(COME_BACK, "connect again");
      } catch (problem) {
        logProblem(this.#feed, problem);
      }
    }
  }

  /** Closes every socket, so that each client must authenticate again. */
  hangUp(): void {
    for (const socket of this.#ctx.getWebSockets()) socket.close(COME_BACK, "connect again");
  }
}
