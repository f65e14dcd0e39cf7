import { exports } from "cloudflare:workers";
import { LIVE_ROWS_MAX } from "../../src/model/live.ts";
import type { LiveNews } from "../../src/model/live.ts";
import { CONSOLE } from "./visitor.ts";
import type { Visitor } from "./visitor.ts";

// A browser's end of the live feed.

export class Listener {
  readonly #socket: WebSocket;
  readonly #news: LiveNews[] = [];
  readonly #waiting: ((news: LiveNews) => void)[] = [];
  readonly closed: Promise<{ code: number }>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const news = JSON.parse(String(data)) as LiveNews;
      const waiting = this.#waiting.shift();
      if (waiting) waiting(news);
      else this.#news.push(news);
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code }) => resolve({ code }));
    });
    socket.accept();
  }

  /** The next message from the account. */
  next(): Promise<LiveNews> {
    const news = this.#news.shift();
    return news ? Promise.resolve(news) : new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Reads on until a message satisfies the condition. */
  async until(isSo: (news: LiveNews) => boolean): Promise<LiveNews> {
    for (let left = LIVE_ROWS_MAX; left > 0; left--) {
      const news = await this.next();
      if (isSo(news)) return news;
    }
    throw new Error("the account told much, and never that");
  }

  say(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close(1000, "done");
  }
}

/** Requests the live feed as a browser does. */
export function askLive(visitor: Visitor, from?: number, headers: Record<string, string> = {}): Promise<Response> {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return exports.default.fetch(`${CONSOLE}/live${from === undefined ? "" : `?from=${from}`}`, {
    headers: { upgrade: "websocket", origin: CONSOLE, cookie, ...headers },
  });
}

/** Opens the live feed. */
export async function listen(visitor: Visitor, from?: number): Promise<Listener> {
  const { status, webSocket } = await askLive(visitor, from);
  if (!webSocket) throw new Error(`the live feed answered ${status}`);
  return new Listener(webSocket);
}
