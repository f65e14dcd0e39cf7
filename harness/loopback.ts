import { once } from "node:events";
import http from "node:http";
import type net from "node:net";

/** The whole body as text; throws if the client disconnects before its end. */
export async function textOf(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A local server that can be closed at any moment, with its open connections, and opened again. */
export class LoopbackServer {
  readonly #port: number;
  readonly #take: http.RequestListener;
  readonly #idleMs: number | undefined;
  readonly #sockets = new Set<net.Socket>();
  #server: http.Server | null = null;

  /** `idleMs`: how long it keeps an idle connection open; Node's own few seconds where absent. */
  constructor(port: number, take: http.RequestListener, idleMs?: number) {
    this.#port = port;
    this.#take = take;
    this.#idleMs = idleMs;
  }

  /** Starts to listen; does nothing if it already listens. */
  async listen(): Promise<void> {
    if (this.#server) return;
    this.#server = http.createServer(this.#take);
    if (this.#idleMs !== undefined) this.#server.keepAliveTimeout = this.#idleMs;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** Stops listening and closes open connections. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(server, "close");
  }
}
