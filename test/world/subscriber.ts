import { exports } from "cloudflare:workers";
import type { World } from "./world.ts";
import { bearer } from "./world.ts";

// A program's end of the feed of events.

/** An event as the wire has it. */
export interface Told {
  seq: number;
  id: string;
  type: string;
  at: string;
  data: Record<string, unknown>;
}

/** A WebSocket of the feed. */
export class Subscription {
  readonly #socket: WebSocket;
  readonly #wanted: (() => void)[] = [];
  /** What came so far. */
  readonly got: Told[] = [];
  readonly closed: Promise<{ code: number }>;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.got.push(JSON.parse(String(data)) as Told);
      for (const look of this.#wanted.splice(0)) look();
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code }) => resolve({ code }));
    });
    socket.accept();
  }

  /** Waits until so many events came. */
  async until(count: number): Promise<Told[]> {
    while (this.got.length < count) await new Promise<void>((resolve) => void this.#wanted.push(resolve));
    return this.got;
  }

  close(): void {
    this.#socket.close(1000, "done");
  }
}

/** Asks for the feed's socket, with the events after a number. */
export function askEvents(world: Pick<World, "apiKey">, after?: number | string, headers: Record<string, string> = {}) {
  const url = `http://console.localhost/v1/events/live${after === undefined ? "" : `?after=${after}`}`;
  return exports.default.fetch(url, { headers: { upgrade: "websocket", ...bearer(world.apiKey), ...headers } });
}

/** Opens the feed's socket. */
export async function subscribe(world: Pick<World, "apiKey">, after?: number): Promise<Subscription> {
  const { status, webSocket } = await askEvents(world, after);
  if (!webSocket) throw new Error(`the feed answered ${status}`);
  return new Subscription(webSocket);
}
