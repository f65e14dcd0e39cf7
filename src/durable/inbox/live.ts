import { codeIn } from "../../inbox/code.ts";
import type { LiveEvent } from "../../inbox/event.ts";
import { matcherOf } from "../../inbox/search.ts";
import type { InboxFilter, InboxMessage } from "../../inbox/types.ts";
import { logProblem } from "../../log.ts";

// The live list: each page hears what its own filter matches. A socket keeps its filter while the object sleeps.

/** Tabs that may watch one inbox at once. */
const SOCKETS_MAX = 32;

/** A page has to come back after this, so that a session that ended does not watch on. */
const SOCKET_MS_MAX = 900_000;

/** What a socket closes with when its page is to connect again. */
const COME_BACK = 4000;

/** What a socket keeps while the object sleeps. */
interface Attached {
  filter: InboxFilter;
  openedAt: number;
}

/** Lets a page in: `missed` is what it hears first. */
export function accept(ctx: DurableObjectState, filter: InboxFilter, missed: readonly InboxMessage[]): Response {
  if (ctx.getWebSockets().length >= SOCKETS_MAX) return new Response(null, { status: 503 });
  const { 0: client, 1: server } = new WebSocketPair();
  ctx.acceptWebSocket(server);
  // A heartbeat is answered without waking the object.
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  server.serializeAttachment({ filter, openedAt: Date.now() } satisfies Attached);
  if (missed.length > 0) server.send(JSON.stringify(landedEvent(missed)));
  return new Response(null, { status: 101, webSocket: client });
}

/** Sends every page back for a new connection, which only somebody who may read the inbox gets. */
export function hangUp(ctx: DurableObjectState): void {
  for (const socket of ctx.getWebSockets()) socket.close(COME_BACK, "connect again");
}

/** Messages that landed, as the page's script gets them. */
export function landedEvent(messages: readonly InboxMessage[]): LiveEvent {
  return {
    messages: messages.map(({ seq, ref: id, to, operation, text, at }) => {
      return { seq, id, to, operation, text, code: codeIn(operation, text), at };
    }),
  };
}

/** Messages that were deleted. */
export function goneEvent(messages: readonly InboxMessage[]): LiveEvent {
  return { gone: messages.map(({ ref }) => ref) };
}

/** Tells each page what it wants to hear of these messages. Never throws: no page can keep a message from landing. */
export function broadcast(
  sockets: readonly WebSocket[],
  messages: readonly InboxMessage[],
  eventOf: (messages: readonly InboxMessage[]) => LiveEvent,
): void {
  const nowMs = Date.now();
  for (const socket of sockets) {
    try {
      const { filter, openedAt } = socket.deserializeAttachment() as Attached;
      const mine = messages.filter(matcherOf(filter, nowMs));
      if (mine.length === 0) continue;
      if (nowMs - openedAt < SOCKET_MS_MAX) socket.send(JSON.stringify(eventOf(mine)));
      else socket.close(COME_BACK, "connect again");
    } catch (problem) {
      logProblem("test inbox", problem);
    }
  }
}
