import { configOf } from "../config/config.ts";
import { fail } from "../http/errors.ts";
import { logProblem } from "../log.ts";

// What the operator changes without a deploy: a setting is one object in R2. Each isolate keeps the value that it read
// last, so that a request waits for nothing, and looks for a newer one beside a request. An isolate that knows none yet
// takes the copy in its data centre's cache, or asks R2. What is kept are values, never promises: a promise belongs to its
// request.

/** How old a value may be before a request looks for a newer one, and again where that found none; in ms. */
const LOOK_AFTER_MS = 30_000;

/** A value that was looked for so long ago, in ms, is not used before R2 was asked: the bound after which a change applies. */
export const SETTING_AGE_MS_MAX = 300_000;

/** R2 may take so long, in ms, where an older value is known. */
const PATIENCE_MS = 500;

/** R2 may take so long, in ms, where no value is known. */
const READ_MS_MAX = 5_000;

/** The cache's copy serves an isolate that knows no value for so long while R2 is away, in s. */
const COPY_SEC_MAX = 86_400;

/** How often a change is made anew because another one was written meanwhile. */
const CHANGE_TRIES_MAX = 5;

/** What tells a setting from the others. */
export interface SettingForm<T> {
  /** The object's key in R2. */
  key: string;
  /** The name of its cache. */
  cache: string;
  /** The path of the copy in that cache. */
  copyPath: `/${string}`;
  /** As the log names it. */
  title: string;
  /** Reads what is stored; throws where it is none. It ignores fields of a newer version, which an older one may meet. */
  read: (stored: unknown) => T;
  /** The value until one is stored. */
  otherwise: T;
  /** The sentence of a request that needs the value where it cannot be read. */
  unreadable: string;
}

export type SettingBindings = Pick<Env, "RECORDINGS">;
export type SettingWaits = Pick<ExecutionContext, "waitUntil">;

interface Kept<T> {
  value: T;
  /** When it was read from R2, in ms since the epoch. */
  readAtMs: number;
  /** When a newer one was looked for last, in ms since the epoch. */
  lookedAtMs: number;
}

/** What comes of `work` within a time; null where it takes longer. */
const within = <T>(ms: number, work: Promise<T>): Promise<T | null> =>
  Promise.race([work, scheduler.wait(ms).then(() => null)]);

/** A setting of the operator's in R2. */
export class KeptSetting<T> {
  readonly #form: SettingForm<T>;
  readonly #kept = new WeakMap<R2Bucket, Kept<T>>();

  constructor(form: SettingForm<T>) {
    this.#form = form;
  }

  /**
   * The current value. An isolate that knows one answers at once, and looks for a newer one beside the request. Without any
   * (no copy in the cache, and R2 away) the request fails: 503.
   */
  async current(env: SettingBindings, ctx: SettingWaits): Promise<T> {
    const nowMs = Date.now();
    const known = this.#kept.get(env.RECORDINGS);
    // Where the clock was set back, the time since the last look is unknown.
    const sinceMs = known ? Math.abs(nowMs - known.lookedAtMs) : Infinity;
    if (!known || sinceMs >= SETTING_AGE_MS_MAX) return this.#first(env, ctx, known);
    if (sinceMs >= LOOK_AFTER_MS) {
      known.lookedAtMs = nowMs;
      ctx.waitUntil(this.#look(env, ctx));
    }
    return known.value;
  }

  /** The value as it is stored, for the operator who is to change it; the last one known where R2 is away. */
  async stored(env: SettingBindings, ctx: SettingWaits): Promise<T> {
    const known = (await this.#look(env, ctx)) ?? this.#kept.get(env.RECORDINGS);
    return known ? known.value : fail("unavailable", this.#form.unreadable);
  }

  /**
   * Replaces the value, whatever it was. This isolate uses it at once; every other one with its next request but one after
   * LOOK_AFTER_MS, and after SETTING_AGE_MS_MAX at the latest.
   */
  async replace(bucket: R2Bucket, value: T): Promise<void> {
    await bucket.put(this.#form.key, JSON.stringify(value));
    this.#wrote(bucket, value);
  }

  /**
   * Changes the value: `change` gets the stored one and returns the new one, or null to leave it. Where another change was
   * written meanwhile it is asked again with that one, so that none is lost. Returns what is stored then; 503 where
   * changes of others keep coming first. A `change` that throws changes nothing.
   */
  async change(bucket: R2Bucket, change: (value: T) => T | null | Promise<T | null>): Promise<T> {
    for (let tries = 0; tries < CHANGE_TRIES_MAX; tries++) {
      const object = await bucket.get(this.#form.key);
      const before = object ? this.#form.read(await object.json()) : this.#form.otherwise;
      const value = await change(before);
      if (value === null) return before;
      const onlyIf = object ? { etagMatches: object.etag } : { etagDoesNotMatch: "*" };
      if ((await bucket.put(this.#form.key, JSON.stringify(value), { onlyIf })) === null) continue;
      this.#wrote(bucket, value);
      return value;
    }
    return fail("unavailable", "Others are changing this at the moment; repeat the request.");
  }

  #wrote(bucket: R2Bucket, value: T): void {
    const nowMs = Date.now();
    this.#kept.set(bucket, { value, readAtMs: nowMs, lookedAtMs: nowMs });
  }

  /** Keeps a value, unless a newer one is known; returns the newer one. */
  #keep(bucket: R2Bucket, value: T, readAtMs: number, lookedAtMs = readAtMs): Kept<T> {
    const known = this.#kept.get(bucket);
    if (known && known.readAtMs > readAtMs && known.readAtMs <= Date.now()) return known;
    const fresh = { value, readAtMs, lookedAtMs };
    this.#kept.set(bucket, fresh);
    return fresh;
  }

  /** The cache, and the copy's address in it: on the service's own host, as Cloudflare asks for. */
  async #placeOfCopy(env: SettingBindings): Promise<{ cache: Cache; url: string }> {
    const { cache, copyPath } = this.#form;
    return { cache: await caches.open(cache), url: `${configOf(env).CONSOLE_URL}${copyPath}` };
  }

  /** The copy in the data centre's cache, or null. Never throws: there is no cache everywhere. */
  async #copyOf(env: SettingBindings): Promise<Pick<Kept<T>, "value" | "readAtMs"> | null> {
    try {
      const { cache, url } = await this.#placeOfCopy(env);
      const found = await cache.match(url);
      if (!found) return null;
      const { value, readAtMs } = await found.json<{ value: unknown; readAtMs: number }>();
      return { value: this.#form.read(value), readAtMs };
    } catch (problem) {
      logProblem(`${this.#form.title}'s copy`, problem);
      return null;
    }
  }

  async #writeCopy(env: SettingBindings, { value, readAtMs }: Kept<T>): Promise<void> {
    try {
      const { cache, url } = await this.#placeOfCopy(env);
      const headers = { "cache-control": `max-age=${COPY_SEC_MAX}` };
      await cache.put(url, Response.json({ value, readAtMs }, { headers }));
    } catch (problem) {
      logProblem(`${this.#form.title}'s copy`, problem);
    }
  }

  /** Reads the value from R2 and keeps it, with a copy in the cache; null where it cannot be read. Never throws. */
  async #look(env: SettingBindings, ctx: SettingWaits): Promise<Kept<T> | null> {
    try {
      const readAtMs = Date.now();
      const object = await env.RECORDINGS.get(this.#form.key);
      const value = object ? this.#form.read(await object.json()) : this.#form.otherwise;
      const fresh = this.#keep(env.RECORDINGS, value, readAtMs);
      ctx.waitUntil(this.#writeCopy(env, fresh));
      return fresh;
    } catch (problem) {
      logProblem(this.#form.title, problem);
      return null;
    }
  }

  /** The value of an isolate that knows none, or none of the last minutes. */
  async #first(env: SettingBindings, ctx: SettingWaits, known: Kept<T> | undefined): Promise<T> {
    const looking = this.#look(env, ctx);
    ctx.waitUntil(looking);
    const copy = await within(PATIENCE_MS, this.#copyOf(env));
    const nowMs = Date.now();
    if (copy && Math.abs(nowMs - copy.readAtMs) < SETTING_AGE_MS_MAX) {
      return this.#keep(env.RECORDINGS, copy.value, copy.readAtMs, nowMs).value;
    }
    const read = await within(PATIENCE_MS, looking);
    if (read) return read.value;
    // R2 is slow or away: a value that was valid lately.
    const last = known ?? copy;
    if (last) return this.#keep(env.RECORDINGS, last.value, last.readAtMs, nowMs).value;
    const late = await within(READ_MS_MAX, looking);
    return late ? late.value : fail("unavailable", this.#form.unreadable);
  }
}
