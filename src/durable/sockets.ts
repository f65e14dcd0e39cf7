import { logProblem } from "../log.ts";
import { COME_BACK } from "../model/live.ts";

// The WebSockets of one object: they hibernate with it, answer heartbeats without waking it, and never write a row.
// What a client misses while it is disconnected, it gets when it connects again.

/** Concurrent clients of one object: more than the tabs that people have open, and a bound on the work per change. */
export const SOCKETS_MAX = 32;

/** A send closes sockets older than this, in ms: the client must authenticate again, as its session may have ended. */
export const SOCKET_MS_MAX = 900_000;

/** What is attached to a socket, and survives the object's hibernation. */
type Attached<Wants extends object> = Wants & { openedAt: number };

/** The clients of one feed of an object; `Wants` is what each of them requested when it connected. */
export class Sockets<Wants extends object> {
  readonly #ctx: DurableObjectState;
  readonly #feed: string;

  /** `feed` names the feed, in the log and among the object's sockets. */
  constructor(ctx: DurableObjectState, feed: string) {
    this.#ctx = ctx;
    this.#feed = feed;
  }

  /** Whether no client is connected. */
  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  get #all(): WebSocket[] {
    return this.#ctx.getWebSockets(this.#feed);
  }

  /** Accepts a client and sends it `first`; 503 when there are `SOCKETS_MAX` clients already. */
  accept(wants: Wants, first: object | null): Response {
    if (this.#all.length >= SOCKETS_MAX) return new Response(null, { status: 503 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [this.#feed]);
    this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    server.serializeAttachment({ ...wants, openedAt: Date.now() } satisfies Attached<Wants>);
    if (first) server.send(JSON.stringify(first));
    return new Response(null, { status: 101, webSocket: client });
  }

  /**
   * Sends each client the text that `textFor` makes for it, unless that is null. Never throws: a failure for one client
   * is logged, and affects neither the other clients nor the caller.
   */
  send(textFor: (wants: Wants) => string | null): void {
    const nowMs = Date.now();
    for (const socket of this.#all) {
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
    for (const socket of this.#all) socket.close(COME_BACK, "connect again");
  }
}
