import http from "node:http";

// Sends receipts as gateways do: each at its own time, over a few connections, each of which waits for its reply.

/** A receipt that was not answered with 200 is sent again after this long, this often. */
const AGAIN_AFTER_MS = 2_000;
const TRIES_MAX = 5;

/** One receipt; `make` signs it when it leaves, because a signature soon expires. */
export interface Due {
  dueMs: number;
  port: number;
  host: string;
  path: string;
  make: () => { headers: Record<string, string>; body: string };
  tries?: number;
}

/** Receipts by the time at which they are due: a binary heap. */
class Heap {
  readonly #rows: Due[] = [];

  get size(): number {
    return this.#rows.length;
  }

  get first(): Due | undefined {
    return this.#rows[0];
  }

  push(due: Due): void {
    const rows = this.#rows;
    let at = rows.push(due) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if ((rows[up] as Due).dueMs <= due.dueMs) break;
      rows[at] = rows[up] as Due;
      at = up;
    }
    rows[at] = due;
  }

  pop(): Due | undefined {
    const rows = this.#rows;
    const [first] = rows;
    const last = rows.pop();
    if (last === undefined || rows.length === 0) return first;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= rows.length) break;
      if (down + 1 < rows.length && (rows[down + 1] as Due).dueMs < (rows[down] as Due).dueMs) down += 1;
      if ((rows[down] as Due).dueMs >= last.dueMs) break;
      rows[at] = rows[down] as Due;
      at = down;
    }
    rows[at] = last;
    return first;
  }
}

export class ReceiptSender {
  readonly #due = new Heap();
  readonly #agent: http.Agent;
  readonly #connections: number;
  #sending = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  /** Receipts that were answered with 200, and receipts that were given up after `TRIES_MAX`. */
  sent = 0;
  lost = 0;
  /** Tries that were not answered with 200, by what happened. */
  readonly refused = new Map<string, number>();

  constructor(connections: number) {
    this.#connections = connections;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Receipts that wait for their time, or for a connection, or for their reply. */
  get waiting(): number {
    return this.#due.size + this.#sending;
  }

  add(due: Due): void {
    this.#due.push(due);
    this.#pump();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#agent.destroy();
  }

  #pump(): void {
    while (!this.#isClosed && this.#sending < this.#connections) {
      const next = this.#due.first;
      if (!next) return;
      const waitMs = next.dueMs - Date.now();
      if (waitMs > 0) return this.#wakeAfter(waitMs);
      this.#due.pop();
      this.#sending += 1;
      void this.#send(next).then(() => {
        this.#sending -= 1;
        this.#pump();
      });
    }
  }

  #wakeAfter(waitMs: number): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pump(), waitMs);
  }

  async #send(due: Due): Promise<void> {
    let status = await this.#ask(due);
    if (status === "unread") status = await this.#ask(due);
    if (status === 200) {
      this.sent += 1;
      return;
    }
    if (this.#isClosed) return;
    this.refused.set(String(status), (this.refused.get(String(status)) ?? 0) + 1);
    const tries = (due.tries ?? 0) + 1;
    if (tries < TRIES_MAX) this.#due.push({ ...due, tries, dueMs: Date.now() + AGAIN_AFTER_MS });
    else this.lost += 1;
  }

  /** The status of the reply, or what broke; "unread": the service had closed the idle connection before. */
  #ask({ port, host, path, make }: Due): Promise<number | string> {
    const { headers, body } = make();
    const length = String(Buffer.byteLength(body));
    const all = { host, "content-type": "application/json", "content-length": length, ...headers };
    return new Promise((resolve) => {
      const request = http.request(
        { agent: this.#agent, host: "127.0.0.1", port, path, method: "POST", headers: all },
        (reply) => {
          reply.resume();
          reply.once("end", () => resolve(reply.statusCode ?? 0));
          reply.once("error", (problem) => resolve(problem.message));
        },
      );
      request.once("error", (problem: NodeJS.ErrnoException) => {
        const { code = problem.message } = problem;
        resolve(request.reusedSocket && code === "ECONNRESET" ? "unread" : code);
      });
      request.end(body);
    });
  }
}
