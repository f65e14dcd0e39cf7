import http from "node:http";
import type { Log } from "../log.ts";
import { between, pauseMs, randomOf } from "../random.ts";
import type { Random } from "../random.ts";

// A consumer of an account's events, by pages or by the socket. It stores each event before it goes on, is killed at
// random, and begins again after the last event that it has stored.

export interface FollowerOptions {
  by: "api" | "socket";
  account: string;
  apiKey: string;
  base: string;
  seed: string;
  log: Log;
}

/** How long it lives on average; some lives are too short for one reply. */
const LIFE_MS = 3_000;
/** The share of events after which it dies, so that pages and connections are left in their middle. */
const DIES_AT = 0.004;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Node's client, which takes headers; the types here are those of Workers. */
const Socket = WebSocket as unknown as new (url: string, options: { headers: Record<string, string> }) => WebSocket;

/** A life that ends so soon, in ms, found no service: another one begins later. */
const DOWN_MS = 100;

/** A page of events, or what came instead. */
interface Answer {
  status: number;
  text: string;
}

function get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { headers, signal, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.once("error", reject);
    request.end();
  });
}

export class Follower {
  readonly account: string;
  readonly #options: FollowerOptions;
  readonly #random: Random;
  /** The number of the last event that it has stored. */
  #stored = 0;
  #lives = 0;
  #isClosed = false;
  #end: () => void = () => undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.account = options.account;
    this.#random = randomOf(options.seed, "follower", options.account, options.by);
  }

  get stored(): number {
    return this.#stored;
  }

  /** One life after another, until it is closed. */
  async run(): Promise<void> {
    const { by, account, log } = this.#options;
    while (!this.#isClosed) {
      const life = new AbortController();
      this.#end = () => life.abort();
      const timer = setTimeout(this.#end, pauseMs(this.#random, LIFE_MS));
      this.#lives += 1;
      const bornAt = Date.now();
      log.append({ t: "life", account, by, life: this.#lives, after: this.#stored });
      await (by === "api" ? this.#page(life) : this.#connect(life)).catch(() => undefined);
      clearTimeout(timer);
      life.abort();
      const isDown = Date.now() - bornAt < DOWN_MS;
      await (isDown ? pause(between(this.#random, 300, 1_200)) : pause(between(this.#random, 20, 400)));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#options.apiKey}` };
  }

  /** Stores an event. It may die right after that. */
  #store(event: { seq: number }, life: AbortController): void {
    const { by, account, log } = this.#options;
    log.append({ t: "got", account, by, events: [event] });
    this.#stored = event.seq;
    if (this.#random() < DIES_AT) life.abort();
  }

  /** What should never be answered to one that goes on from where it was. */
  #refused(status: number, text: string): void {
    const { by, account, log } = this.#options;
    log.append({ t: "refused", account, by, after: this.#stored, status, text });
  }

  async #page(life: AbortController): Promise<void> {
    const { base } = this.#options;
    const { signal } = life;
    while (!signal.aborted) {
      const [limit, wait] = [between(this.#random, 1, 300), between(this.#random, 0, 5)];
      const asked = `${base}/v1/events?after=${this.#stored}&limit=${limit}&wait=${wait}`;
      const { status, text } = await get(asked, this.#headers, signal);
      if (status === 200) {
        for (const event of (JSON.parse(text) as { data: { seq: number }[] }).data) {
          if (signal.aborted) return;
          this.#store(event, life);
        }
      } else {
        if (status < 500 && status !== 429) this.#refused(status, text);
        await pause(between(this.#random, 100, 500));
      }
    }
  }

  #connect(life: AbortController): Promise<void> {
    const { base } = this.#options;
    const { signal } = life;
    const url = `${base.replace(/^http/u, "ws")}/v1/events/live?after=${this.#stored}`;
    const socket = new Socket(url, { headers: this.#headers });
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        socket.close();
        resolve();
      });
      socket.addEventListener("message", ({ data }) => {
        if (!signal.aborted) this.#store(JSON.parse(String(data)) as { seq: number }, life);
      });
      socket.addEventListener("error", () => resolve());
      socket.addEventListener("close", () => resolve());
    });
  }
}
