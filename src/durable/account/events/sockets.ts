import { configOf } from "../../../config/config.ts";
import { accountOfName } from "../../../crypto/ids.ts";
import { wireEvent } from "../../../events/wire-event.ts";
import { logProblem } from "../../../log.ts";
import { COME_BACK } from "../../../model/live.ts";
import { nameOf } from "../../name.ts";
import { isActive } from "../keys.ts";
import type { GivenKey } from "../keys.ts";
import { readEvents } from "./pages.ts";

// The feed's WebSockets: each gets every event after its number, in order. They hibernate with the object, and what is
// attached to each says how far it is. A client that loses its connection comes back with the last number that it has.

/** Sockets of one account and mode. */
export const EVENT_SOCKETS_MAX = 16;

/**
 * Events that one connection carries. The platform holds what a slow client has not read, and does not say how much that
 * is: the client connects again, so at most so many wait for it, some megabytes.
 */
export const CARRIED_MAX = 4_000;

/** Events that one read takes from the pages. */
const READ_MAX = 500;

/** RFC 6455 §7.4.1: the endpoint's policy does not allow the connection any more. */
const REVOKED = 1008;

const TAG = "events";

/** Who listens: the key that opened the socket. */
export type Subscriber = GivenKey;

/** What is attached to a socket. */
interface Attached {
  keyId: number;
  secretId?: number | undefined;
  /** The number of the last event that it got. */
  after: number;
  /** How many it got. */
  carried: number;
}

/** The sockets of one account's feed. */
export class EventSockets {
  readonly #ctx: DurableObjectState;
  readonly #env: () => Env;

  constructor(ctx: DurableObjectState, env: () => Env) {
    this.#ctx = ctx;
    this.#env = env;
  }

  get #all(): WebSocket[] {
    return this.#ctx.getWebSockets(TAG);
  }

  /** Whether no client is connected. */
  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** Accepts a client and sends it the events after a number; 503 when there are `EVENT_SOCKETS_MAX` already. */
  accept({ keyId, secretId }: Subscriber, after: number): Response {
    if (this.#all.length >= EVENT_SOCKETS_MAX) return new Response(null, { status: 503 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [TAG]);
    this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    server.serializeAttachment({ keyId, secretId, after, carried: 0 } satisfies Attached);
    this.#serve(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Sends each client the events that it has not got. Never throws: one client's failure is logged. */
  push(): void {
    for (const socket of this.#all) {
      try {
        this.#serve(socket);
      } catch (problem) {
        logProblem(TAG, problem);
      }
    }
  }

  /** Closes every socket. */
  hangUp(): void {
    for (const socket of this.#all) socket.close(COME_BACK, "connect again");
  }

  #serve(socket: WebSocket): void {
    const { sql } = this.#ctx.storage;
    const state = socket.deserializeAttachment() as Attached;
    if (!isActive(sql, state, Date.now())) return socket.close(REVOKED, "the key is not valid any more");
    const { KEY_SECRET: secret } = configOf(this.#env());
    const ref = accountOfName(nameOf(this.#ctx));
    for (;;) {
      const events = readEvents(sql, state.after, Math.min(READ_MAX, CARRIED_MAX - state.carried));
      for (const event of events) {
        socket.send(JSON.stringify(wireEvent(secret, ref, event)));
        state.after = event.seq;
        state.carried += 1;
      }
      socket.serializeAttachment(state);
      if (state.carried >= CARRIED_MAX) return socket.close(COME_BACK, "connect again, with the last seq");
      if (events.length < READ_MAX) return;
    }
  }
}
