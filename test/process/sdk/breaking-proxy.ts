import { once } from "node:events";
import net from "node:net";

// A proxy on TCP that breaks connections, at any byte of the request or of the reply, or answers in the service's place.

/** What becomes of one connection. Bytes below 0 are counted from the end. */
export type Fault =
  /** Only so many bytes of the request reach the service, then both connections are reset. */
  | { kind: "cut request"; bytes: number }
  /** The service does the work, and only so many bytes of its reply reach the client, at most all but one. */
  | { kind: "cut reply"; bytes: number }
  /** The service gets nothing, and the client this. */
  | { kind: "answer instead"; text: string }
  /** The service does the work, and the client gets this. */
  | { kind: "answer after"; text: string }
  /** The service does the work, and the client gets nothing. */
  | { kind: "hang" };

const HEAD_END = "\r\n\r\n";

/** How many bytes the message has that begins so; infinitely many while its head is not there. */
function lengthOf(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return Infinity;
  const head = bytes.subarray(0, end).toString("latin1");
  const [, length = "0"] = /\r\ncontent-length: *(\d+)/iu.exec(head) ?? [];
  return end + HEAD_END.length + Number(length);
}

const isWhole = (bytes: Buffer) => bytes.length >= lengthOf(bytes);

export class BreakingProxy {
  /** What becomes of the next connections; those after them pass unharmed. */
  readonly faults: Fault[] = [];
  /** The Idempotency-Key of each request that came, whole or not. */
  readonly keys: string[] = [];
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  private constructor(server: net.Server) {
    this.#server = server;
  }

  /** Starts a proxy in front of a port of this machine. */
  static async start(port: number): Promise<BreakingProxy> {
    const server = net.createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new BreakingProxy(server);
    server.on("connection", (client) => proxy.#serve(client, port));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #watch(socket: net.Socket): net.Socket {
    this.#sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
  }

  #serve(client: net.Socket, port: number): void {
    const fault = this.faults.shift();
    const service = this.#watch(net.connect(port, "127.0.0.1"));
    this.#watch(client).on("close", () => {
      // What the client sent goes on its way, also when the client is gone.
      if (!fault) service.end();
    });
    const reset = () => {
      client.resetAndDestroy();
      service.resetAndDestroy();
    };
    let seen = Buffer.alloc(0);
    client.on("data", (bytes) => {
      const before = seen.length;
      seen = Buffer.concat([seen, bytes]);
      const [, key] = /\r\nidempotency-key: *([^\r]+)\r/iu.exec(seen.toString("latin1")) ?? [];
      if (key !== undefined && this.keys.at(-1) !== key) this.keys.push(key);
      if (fault?.kind === "cut request") {
        const end = Math.min(lengthOf(seen), fault.bytes < 0 ? lengthOf(seen) + fault.bytes : fault.bytes);
        service.write(seen.subarray(before, end));
        if (seen.length >= end) service.end(() => reset());
      } else if (fault?.kind === "answer instead") {
        if (isWhole(seen)) client.end(fault.text);
      } else service.write(bytes);
    });
    let reply = Buffer.alloc(0);
    service.on("data", (bytes) => {
      reply = Buffer.concat([reply, bytes]);
      if (fault?.kind === "cut reply") {
        const end = fault.bytes < 0 ? fault.bytes : Math.min(fault.bytes, reply.length - 1);
        if (isWhole(reply)) client.write(reply.subarray(0, end), reset);
      } else if (fault?.kind === "answer after") client.end(fault.text);
      else if (fault?.kind !== "hang") client.write(bytes);
    });
    service.on("close", () => fault?.kind !== "hang" && fault?.kind !== "answer instead" && client.destroy());
  }
}

/** An answer as its bytes on the wire, after which the connection ends. */
export function answer(status: number, body: string | object, headers: Record<string, string> = {}): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/html" : "application/json";
  const all = {
    "content-type": type,
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} X`, ...lines, "", text].join("\r\n");
}
