// The loads of bench:pace. Every recipient is a number of its own, by which the gateway's record is read afterwards.
import { pause } from "../../harness/accounts.mjs";
import { HOSTS } from "../../harness/service.mjs";

const MESSAGE = "Your order 4711 is on its way and will be with you today between four and six. Thank you!";

export const ACCOUNTS = 100;
export const BULK = 10_000;
/** The campaign of the mixed load is sent in bulks, each as large as one request may be. */
const CAMPAIGN_BULKS = 10;

/** Shares of the gateway's rate that the mixed load asks for beside the campaign, and what this machine can add to it. */
const SHARES = {
  bulks: { of: 0.25, perSecMax: 500 },
  singles: { of: 0.2, perSecMax: 40 },
  otps: { of: 0.15, perSecMax: 30 },
};
const SMALL_BULK_MAX = 100;
const SMALL_BULK_MIN = 5;

/** The accounts of the mixed load: the first has the campaign. */
const ACCOUNTS_OF = { bulks: [1, 20], singles: [20, 60], otps: [60, 100] };

/** Nothing new is sent in the last seconds, so that what was sent has a chance to arrive. */
const QUIET_END_SEC = 6;

const ENDPOINTS = {
  bulk: { host: HOSTS.sms, path: "/send-bulk-sms" },
  single: { host: HOSTS.sms, path: "/send-sms" },
  otp: { host: HOSTS.otp, path: "/send-otp" },
};

/** One load on a service: what was asked for, by number. */
export class Load {
  /** Number → lane, group, and the time at which it was asked for. */
  asked = new Map();
  /** Replies other than 200, by status. */
  refused = {};
  /** Recipients of each bulk, by the bulk's name. */
  groups = new Map();
  #next = 0;

  constructor({ client, keys, random }) {
    this.client = client;
    this.keys = keys;
    this.random = random;
  }

  /** Sends one request of a lane for an account; `group` names a bulk. */
  async send(lane, account, recipients = 1, group = null) {
    const requestedMs = Date.now();
    const numbers = Array.from({ length: recipients }, () => {
      const number = `9${String(this.#next++).padStart(9, "0")}`;
      this.asked.set(`+91${number}`, { lane, group, requestedMs });
      return number;
    });
    if (group !== null) this.groups.set(group, { requestedMs, recipients });
    const [phone] = numbers;
    const bodies = {
      bulk: { recipients: numbers, message: MESSAGE },
      single: { phone, message: MESSAGE },
      otp: { phone, otp: "048213" },
    };
    const { host, path } = ENDPOINTS[lane];
    const status = await this.client.askAs(this.keys[account], host, path, { body: bodies[lane] }).then(
      (reply) => reply.status,
      // Without a reply it is unknown whether they are sent; a load that goes on to the end is broken off there.
      (problem) => problem.code ?? "broken",
    );
    if (status === 200) return;
    this.refused[status] = (this.refused[status] ?? 0) + 1;
    for (const number of numbers) this.asked.delete(`+91${number}`);
    if (group !== null) this.groups.delete(group);
  }

  /** One bulk of 10,000 by one account. */
  async bulk() {
    await this.send("bulk", 0, BULK, "campaign 0");
  }

  /** A campaign of one account beside bulks, singles and OTPs of the other ninety-nine. */
  async mixed({ perSec, seconds }) {
    const untilMs = Date.now() + (seconds - QUIET_END_SEC) * 1_000;
    const rateOf = ({ of, perSecMax }) => Math.min(of * perSec, perSecMax);
    const size = Math.min(SMALL_BULK_MAX, Math.max(SMALL_BULK_MIN, perSec));
    const [bulks, singles, otps] = [SHARES.bulks, SHARES.singles, SHARES.otps].map(rateOf);
    let small = 0;
    for (let at = 0; at < CAMPAIGN_BULKS; at++) await this.send("bulk", 0, BULK, `campaign ${at}`);
    await Promise.all([
      this.#arrivals(bulks / size, untilMs, () =>
        this.send("bulk", this.#oneOf(ACCOUNTS_OF.bulks), size, `small ${small++}`),
      ),
      this.#arrivals(singles, untilMs, () => this.send("single", this.#oneOf(ACCOUNTS_OF.singles))),
      this.#arrivals(otps, untilMs, () => this.send("otp", this.#oneOf(ACCOUNTS_OF.otps))),
    ]);
  }

  #oneOf([from, to]) {
    return from + Math.floor(this.random() * (to - from));
  }

  /** Calls `work` at random times, `perSec` times a second on average; resolves when all calls have ended. */
  async #arrivals(perSec, untilMs, work) {
    const running = [];
    let nextMs = Date.now();
    for (;;) {
      nextMs += (-Math.log(1 - this.random()) / perSec) * 1_000;
      if (nextMs >= untilMs) break;
      await pause(Math.max(0, nextMs - Date.now()));
      running.push(work());
    }
    await Promise.all(running);
  }
}
