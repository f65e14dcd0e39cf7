import { createHmac, timingSafeEqual } from "node:crypto";
import type http from "node:http";
import { LoopbackServer, textOf } from "../../harness/loopback.ts";
import type { Log } from "../log.ts";
import { between, oneOf, pauseMs, randomOf, weighted } from "../random.ts";
import type { Random } from "../random.ts";

// The receiver of webhooks: it checks the signature by the published rule (Standard Webhooks) alone, stores what it gets
// before it answers, and answers as badly as receivers do. It is killed at random.

/** What an endpoint does with all that comes for a while. */
const MOODS = { well: 45, mixed: 20, fails: 10, hangs: 7, redirects: 6, closes: 6, busy: 6 };
export type Mood = keyof typeof MOODS | "gone";

/** What it does with one delivery. */
const ANSWERS = { takes: 62, takes_late: 3, fails: 9, busy: 5, hangs: 4, redirects: 8, closes: 9 };
type Answer = keyof typeof ANSWERS | "gone";

const ANSWER_OF: Record<Exclude<Mood, "mixed">, Answer> = {
  well: "takes",
  fails: "fails",
  hangs: "hangs",
  redirects: "redirects",
  closes: "closes",
  busy: "busy",
  gone: "gone",
};

/** Whether it may have stored what it answers so: it may die between storing and answering. */
const STORES: Record<Answer, number> = {
  takes: 1,
  takes_late: 1,
  fails: 0.3,
  busy: 0,
  hangs: 0.5,
  redirects: 0,
  closes: 0.5,
  gone: 0,
};

const MOOD_MS = 1_500;
/** How often the receiver is killed, and how long it is away, on average. */
const KILLED_EVERY_MS = 7_000;
const AWAY_MS = 600;

/** How old a signature may be, in s. */
const TOLERANCE_SEC = 300;

/** An endpoint of an account, as the receiver knows it. */
export interface Hook {
  id: string;
  account: string;
  secret: string;
  batch: boolean;
}

export interface ReceiverOptions {
  port: number;
  seed: string;
  log: Log;
  /** The service's current time, and its time before a recent jump of the clock. */
  timesMs: () => number[];
}

interface Event {
  seq: number;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Why a delivery is not signed as it should be; null: it is. */
function faultOf({ headers }: http.IncomingMessage, body: string, secret: string, timesMs: number[]): string | null {
  const [id, time, given] = ["id", "timestamp", "signature"].map((name) => String(headers[`webhook-${name}`]));
  const key = Buffer.from(secret.replace(/^whsec_/u, ""), "base64");
  const wanted = createHmac("sha256", key)
    .update(`${id ?? ""}.${time ?? ""}.${body}`)
    .digest();
  const isSigned = (given ?? "").split(" ").some((one) => {
    const [version, code = ""] = one.split(",");
    const bytes = Buffer.from(code, "base64");
    return version === "v1" && bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  });
  if (!isSigned) return "not signed";
  const isRecent = timesMs.some((ms) => Math.abs(ms / 1_000 - Number(time)) <= TOLERANCE_SEC);
  return isRecent ? null : `signed at ${time}`;
}

/** The events of a delivery in the form of the feed; those of a batch have no ids, but for the first. */
function eventsIn(id: string, body: string, batch: boolean): Event[] {
  const read = JSON.parse(body) as { data: object[] };
  const items = (batch ? read.data : [read]) as { timestamp: string; seq: number; type: string; data: object }[];
  return items.map(({ timestamp: at, seq, type, data }, place) => ({
    seq,
    ...(place === 0 && { id }),
    type,
    at,
    data,
  }));
}

export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #hooks = new Map<string, Hook>();
  readonly #moods = new Map<string, Mood>();
  readonly #random: Random;
  readonly #server: LoopbackServer;
  /** The numbers that each endpoint has stored. */
  readonly #stored = new Map<string, Set<number>>();
  #isWell = false;
  /** Whether some delivery failed, and whether one is to. */
  #hasFailed = false;
  #mustFail = false;
  #isClosed = false;
  #posts = 0;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#random = randomOf(options.seed, "receiver");
    this.#server = new LoopbackServer(options.port, (request, response) => {
      this.#take(request, response).catch(() => request.socket.destroy());
    });
  }

  listen(): Promise<void> {
    return this.#server.listen();
  }

  /** An endpoint's address. */
  addressOf(name: string): string {
    return `http://127.0.0.1:${this.#options.port}/hooks/${name}`;
  }

  /** Takes deliveries for an endpoint from now on, in moods that change. */
  add(name: string, hook: Hook): void {
    this.#hooks.set(`/hooks/${name}`, hook);
    this.#stored.set(hook.id, new Set());
    void this.#moody(hook.id);
  }

  storedOf(id: string): number {
    return this.#stored.get(id)?.size ?? 0;
  }

  /** Sets an endpoint's mood until `undo` is called. */
  put(id: string, mood: Mood): () => void {
    this.#moods.set(id, mood);
    return () => void this.#moods.set(id, "well");
  }

  /** Answers the next delivery with a failure, unless one has failed already. */
  failOnce(): void {
    this.#mustFail = true;
  }

  /** From now on it answers, and takes everything. */
  async recover(): Promise<void> {
    this.#isWell = true;
    await this.#server.listen();
  }

  async close(): Promise<void> {
    this.#isClosed = this.#isWell = true;
    await this.#server.close();
  }

  /** Is killed now and then, and comes back. */
  async die(): Promise<void> {
    while (!this.#isWell) {
      await pause(pauseMs(this.#random, KILLED_EVERY_MS));
      if (this.#isWell) break;
      this.#options.log.append({ t: "killed" });
      await this.#server.close();
      await pause(pauseMs(this.#random, AWAY_MS));
      if (!this.#isClosed) await this.#server.listen();
    }
  }

  async #moody(id: string): Promise<void> {
    const random = randomOf(this.#options.seed, "moods", id);
    while (!this.#isWell) {
      if (this.#moods.get(id) !== "gone") this.#moods.set(id, weighted(random, MOODS));
      await pause(pauseMs(random, MOOD_MS));
    }
  }

  #answerFor(id: string): Answer {
    const mood = this.#moods.get(id) ?? "well";
    if (mood === "gone") return "gone";
    if (this.#mustFail && !this.#hasFailed) return "fails";
    if (this.#isWell) return "takes";
    return mood === "mixed" ? weighted(this.#random, ANSWERS) : ANSWER_OF[mood];
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { log, timesMs } = this.#options;
    const body = await textOf(request);
    const hook = this.#hooks.get(request.url ?? "");
    if (!hook) {
      log.append({ t: "astray", url: request.url });
      response.writeHead(404).end();
      return;
    }
    const { id, account, secret, batch } = hook;
    const n = (this.#posts += 1);
    const answer = this.#answerFor(id);
    if (!answer.startsWith("takes")) this.#hasFailed = true;
    const webhookId = String(request.headers["webhook-id"]);
    const events = eventsIn(webhookId, body, batch);
    const fault = faultOf(request, body, secret, timesMs());
    const isStored = fault === null && this.#random() < STORES[answer];
    const seqs = events.map(({ seq }) => seq);
    log.append({ t: "post", n, account, hook: id, webhookId, seqs, answer, fault });
    if (isStored) {
      log.append({ t: "got", account, by: id, events });
      for (const seq of seqs) this.#stored.get(id)?.add(seq);
    }
    await this.#answer(answer, request, response);
    log.append({ t: "posted", n });
  }

  async #answer(answer: Answer, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const random = this.#random;
    switch (answer) {
      case "takes_late":
        await pause(between(random, 200, 700));
        response.writeHead(200).end("late");
        return;
      case "takes":
        response.writeHead(oneOf(random, [200, 202, 204])).end();
        return;
      case "fails":
        response.writeHead(oneOf(random, [500, 502, 504])).end("failed");
        return;
      case "busy":
        response.writeHead(oneOf(random, [429, 503]), { "retry-after": "1" }).end();
        return;
      case "redirects":
        response.writeHead(oneOf(random, [301, 302, 307, 308]), { location: "/elsewhere" }).end();
        return;
      case "hangs":
        return;
      case "closes":
        request.socket.destroy();
        return;
      case "gone":
        response.writeHead(410).end();
    }
  }
}
