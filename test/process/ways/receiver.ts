import http from "node:http";
import type { AddressInfo } from "node:net";

// A small server that keeps what is posted to it, as programs keep what Twilio tells them.

/** One post, with its form parsed. */
export interface Posted {
  url: string;
  signature: string;
  fields: Record<string, string>;
  taken: boolean;
}

/** How a post is answered; true: it was taken. Without an answer it hangs. */
export type Answers = (response: http.ServerResponse, posted: Posted, nth: number) => boolean;

const take: Answers = (response) => Boolean(response.writeHead(204).end());

/** A server on this machine, and what it got. */
export class Receiver {
  readonly got: Posted[] = [];
  readonly #server: http.Server;

  constructor(answers: Answers = take) {
    this.#server = http.createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString("utf8")));
        const signature = String(request.headers["x-twilio-signature"]);
        const posted = { url: `${this.base}${request.url ?? ""}`, signature, fields, taken: false };
        this.got.push(posted);
        posted.taken = answers(response, posted, this.got.length - 1);
      });
    });
  }

  /** Its address, without a slash at the end. */
  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async open(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await new Promise((done) => this.#server.once("listening", done));
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
