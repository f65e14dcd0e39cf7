import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ProcessGroup } from "../harness/group.ts";
import { call } from "../harness/http.ts";
import { clockEnvironment } from "./clock.ts";
import { BASE, PORTS, secretsAt } from "./settings.ts";

// Controls the service under torture, a group of processes: starts, stops and kills it, and injects faults.

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
/** On a busy machine, the simulator that starts the runtime sometimes loses its connection to it, and ends. */
const STARTS_MAX = 5;
/** Requests that were signed before a jump of the clock arrive within this time. */
const JUMP_MS = 5_000;

/** The pacing object has the name of its carrier. */
const PACED = "http";

/** The faults to inject, as the module around the service takes them (`around.mjs`). */
export interface Harm {
  clockMs: number;
  d1: string | null;
  /** The bucket of the archive. */
  r2: string | null;
  /** The call after which objects break off. */
  interrupt: string | null;
  /** Queues, and those of all lanes together. */
  otp: string | null;
  single: string | null;
  bulk: string | null;
  lanes: string | null;
  history: string | null;
  webhooks: string | null;
}

const UNHARMED: Harm = {
  clockMs: 0,
  d1: null,
  r2: null,
  interrupt: null,
  otp: null,
  single: null,
  bulk: null,
  lanes: null,
  history: null,
  webhooks: null,
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The bundle of this release, and that of the next one, whose schema has a step more. */
export type Release = "present" | "next";

/** How archiving an account is going. */
export interface ArchiveState {
  /** When the next step is due; null: nothing is old enough. */
  nextAt: number | null;
  failures: number;
}

export class Service {
  readonly #directory: string;
  readonly #bundles: Record<Release, string>;
  readonly #libfaketime: string | null;
  readonly #harm: Harm = { ...UNHARMED };
  readonly #variables: Record<string, string>;
  #group: ProcessGroup | null = null;
  /** Offset of the clock from the real one, now and before its last jump. */
  #clock = { nowMs: 0, beforeMs: 0, jumpedAt: 0 };
  /** The last start: until its end, the service has the faults of its beginning. */
  #starting: Promise<void> = Promise.resolve();
  /** Steps of rotations so far. */
  #rotations = 0;
  lives = 0;
  /** What the next start runs. */
  release: Release = "present";

  constructor(
    directory: string,
    bundles: Record<Release, string>,
    libfaketime: string | null,
    variables: Record<string, string>,
  ) {
    this.#directory = directory;
    this.#variables = { ...variables };
    this.#bundles = bundles;
    this.#libfaketime = libfaketime;
  }

  get #clockFile(): string {
    return path.join(this.#directory, "clock");
  }

  /** The service's time and, shortly after a jump of its clock, also its time by the offset before. */
  timesMs(): number[] {
    const { nowMs, beforeMs, jumpedAt } = this.#clock;
    const trueMs = Date.now();
    return trueMs - jumpedAt < JUMP_MS ? [trueMs + nowMs, trueMs + beforeMs] : [trueMs + nowMs];
  }

  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#startOnce();
      if (outcome === "ready") break;
      if (outcome === "late" || tries === STARTS_MAX) {
        throw new Error(`The service did not start: ${outcome}; see service.log`);
      }
    }
    // The faults may have changed while it started.
    await this.#tell(this.#harm);
  }

  async #startOnce(): Promise<"ready" | "ended" | "late"> {
    this.#writeClock();
    const runtime = this.#libfaketime === null ? {} : clockEnvironment(this.#libfaketime, this.#clockFile);
    const options = JSON.stringify({ variables: this.#variables, harm: this.#harm, runtime });
    const state = path.join(this.#directory, "state");
    const output = openSync(path.join(this.#directory, "service.log"), "a");
    const bundle = this.#bundles[this.release];
    const args = [path.join(import.meta.dirname, "server.ts"), String(PORTS.service), state, bundle, options];
    const group = (this.#group = new ProcessGroup(args, ["ignore", output, output, "ipc"]));
    this.lives += 1;
    const ready = once(group.child, "message").then(() => "ready" as const);
    const ended = group.ended.then(() => "ended" as const);
    const late = pause(START_MS_MAX).then(() => "late" as const);
    const outcome = await Promise.race([ready, ended, late]);
    // What it started may live on.
    if (outcome === "ended") group.kill();
    return outcome;
  }

  /** From the next start on, both secrets are in the next step of a rotation. */
  rotate(): void {
    this.#rotations += 1;
    Object.assign(this.#variables, secretsAt(this.#rotations));
  }

  /** Kills all its processes at once, as a power cut would. */
  async kill(): Promise<void> {
    const group = this.#take();
    group?.kill();
    await group?.ended;
  }

  /** Stops it; processes that are left after a while are killed. */
  async terminate(): Promise<void> {
    await this.#take()?.end("program", STOP_MS_MAX);
  }

  /** The running group; from now on the service counts as down. */
  #take(): ProcessGroup | null {
    const group = this.#group;
    this.#group = null;
    return group;
  }

  /** Kills all its processes; for the exit handlers of this process. */
  killNow(): void {
    this.#group?.kill();
  }

  /** Resident memory of its processes, in kB. */
  memoryKb(): number {
    if (!this.#group) return 0;
    const { stdout } = spawnSync("ps", ["-o", "rss=", "-g", String(this.#group.pid)], { encoding: "utf8" });
    return stdout.split("\n").reduce((sum, line) => sum + Number(line), 0);
  }

  /** Evicts accounts' objects as the platform does: work in progress is completed first. */
  evict(accounts: string[]): void {
    for (const name of accounts) this.#group?.child.send({ evict: { className: "Account", name } });
  }

  /** Evicts the carrier's pacing object, or aborts it in the middle of its work. */
  async hurtPace(how: "evict" | "break_off"): Promise<void> {
    if (how === "break_off") await this.#tell({ breakOffPace: PACED });
    else this.#group?.child.send({ evict: { className: "Pace", name: PACED } });
  }

  /** Aborts accounts' objects in the middle of their work. */
  async breakOff(accounts: string[]): Promise<void> {
    await this.#tell({ breakOff: accounts });
  }

  /**
   * Asks accounts to archive what is old, as the housekeeping does once a day. How it is going with each, null for one
   * that did not answer; null while the service is down.
   */
  async archive(accounts: string[]): Promise<(ArchiveState | null)[] | null> {
    return (await this.#tell({ archive: accounts }))?.archives ?? null;
  }

  /** Injects faults, also after a restart, until the next change. */
  async harm(change: Partial<Harm>): Promise<void> {
    Object.assign(this.#harm, change);
    await this.#starting.catch(() => undefined);
    await this.#tell(change);
  }

  /** Sets the clock's offset from the real one. */
  async setClock(clockMs: number): Promise<void> {
    this.#clock = { nowMs: clockMs, beforeMs: this.#clock.nowMs, jumpedAt: Date.now() };
    if (this.#libfaketime === null) return this.harm({ clockMs });
    this.#writeClock();
  }

  #writeClock(): void {
    const seconds = this.#clock.nowMs / 1000;
    writeFileSync(this.#clockFile, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  }

  async #tell(body: object): Promise<{ archives?: (ArchiveState | null)[] } | null> {
    // Fails while the service is down; start() sends the current faults.
    const reply = await call(`${BASE}/__torture`, { method: "POST", body }).catch(() => null);
    return reply && (JSON.parse(reply.bytes.toString()) as { archives?: (ArchiveState | null)[] });
  }
}
