import { codeIn } from "../../inbox/code.ts";
import type { LiveEvent } from "../../inbox/event.ts";
import { matcherOf } from "../../inbox/search.ts";
import type { InboxFilter, InboxMessage } from "../../inbox/types.ts";
import { Sockets } from "../sockets.ts";

// The inbox's live feed: each page gets what its own filter matches.

/** What is attached to a page's socket. */
interface Wants {
  filter: InboxFilter;
}

/** The event for messages that arrived, as the page's script gets it. */
function landedEvent(messages: readonly InboxMessage[]): LiveEvent {
  return {
    messages: messages.map(({ seq, ref: id, to, operation, text, at }) => {
      return { seq, id, to, operation, text, code: codeIn(operation, text), at };
    }),
  };
}

/** The event for messages that were deleted. */
function goneEvent(messages: readonly InboxMessage[]): LiveEvent {
  return { gone: messages.map(({ ref }) => ref) };
}

/** The live feed of one inbox. */
export class InboxFeed {
  readonly #sockets: Sockets<Wants>;

  constructor(ctx: DurableObjectState) {
    this.#sockets = new Sockets(ctx, "test inbox");
  }

  /** Whether no page is connected. */
  get isEmpty(): boolean {
    return this.#sockets.isEmpty;
  }

  /** Accepts a page; `missed` is sent first. */
  accept(filter: InboxFilter, missed: readonly InboxMessage[]): Response {
    return this.#sockets.accept({ filter }, missed.length > 0 ? landedEvent(missed) : null);
  }

  /** Sends each page the messages that arrived, as far as they match its filter. Never throws. */
  sendLanded(messages: readonly InboxMessage[]): void {
    this.#send(messages, landedEvent);
  }

  /** Sends each page the messages that were deleted, as far as they match its filter. Never throws. */
  sendGone(messages: readonly InboxMessage[]): void {
    this.#send(messages, goneEvent);
  }

  /** Closes every socket, so that each page must authenticate again. */
  hangUp(): void {
    this.#sockets.hangUp();
  }

  #send(messages: readonly InboxMessage[], eventOf: (messages: readonly InboxMessage[]) => LiveEvent): void {
    const nowMs = Date.now();
    this.#sockets.send(({ filter }) => {
      const own = messages.filter(matcherOf(filter, nowMs));
      return own.length === 0 ? null : JSON.stringify(eventOf(own));
    });
  }
}
