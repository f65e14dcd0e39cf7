import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ProcessGroup } from "../harness/group.ts";
import { call } from "../harness/http.ts";
import { clockEnvironment } from "./clock.ts";
import { BASE, PORTS, VARIABLES } from "./settings.ts";

// The service under torture, from outside: a group of processes that is started, killed, told to end, and harmed.

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
/** What was on its way when the clock jumped has arrived by then. */
const JUMP_MS = 5_000;

/** What the module around the service is told (`around.mjs`). */
export interface Harm {
  clockMs: number;
  d1: string | null;
  dispatch: string | null;
  history: string | null;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class Service {
  readonly #directory: string;
  readonly #bundle: string;
  readonly #libfaketime: string | null;
  readonly #harm: Harm = { clockMs: 0, d1: null, dispatch: null, history: null };
  #group: ProcessGroup | null = null;
  /** Where the clock stands against the true one, and where it stood before it jumped. */
  #clock = { nowMs: 0, beforeMs: 0, jumpedAt: 0 };
  lives = 0;

  constructor(directory: string, bundle: string, libfaketime: string | null) {
    this.#directory = directory;
    this.#bundle = bundle;
    this.#libfaketime = libfaketime;
  }

  get #clockFile(): string {
    return path.join(this.#directory, "clock");
  }

  /** The time as the service has it and, just after its clock jumped, as it had it before. */
  timesMs(): number[] {
    const { nowMs, beforeMs, jumpedAt } = this.#clock;
    const trueMs = Date.now();
    return trueMs - jumpedAt < JUMP_MS ? [trueMs + nowMs, trueMs + beforeMs] : [trueMs + nowMs];
  }

  async start(): Promise<void> {
    this.#writeClock();
    const runtime = this.#libfaketime === null ? {} : clockEnvironment(this.#libfaketime, this.#clockFile);
    const options = JSON.stringify({ variables: VARIABLES, harm: this.#harm, runtime });
    const state = path.join(this.#directory, "state");
    const output = openSync(path.join(this.#directory, "service.log"), "a");
    const args = [path.join(import.meta.dirname, "server.ts"), String(PORTS.service), state, this.#bundle, options];
    const group = (this.#group = new ProcessGroup(args, ["ignore", output, output, "ipc"]));
    this.lives += 1;
    const ready = once(group.child, "message").then(() => "ready");
    const ended = group.ended.then(() => "ended");
    const late = pause(START_MS_MAX).then(() => "late");
    const outcome = await Promise.race([ready, ended, late]);
    if (outcome !== "ready") throw new Error(`The service did not start: ${outcome}; see service.log`);
    // What changed while it started.
    await this.#tell(this.#harm);
  }

  /** Ends all of it at once without asking, as a power cut would. */
  async kill(): Promise<void> {
    const group = this.#take();
    group?.kill();
    await group?.ended;
  }

  /** Asks it to end; what is left after a while is killed. */
  async terminate(): Promise<void> {
    await this.#take()?.end("program", STOP_MS_MAX);
  }

  /** What runs; from now on the service counts as down. */
  #take(): ProcessGroup | null {
    const group = this.#group;
    this.#group = null;
    return group;
  }

  /** Ends all of it when this process itself ends, whatever the reason. */
  killNow(): void {
    this.#group?.kill();
  }

  /** Kilobytes that its processes hold in memory. */
  memoryKb(): number {
    if (!this.#group) return 0;
    const { stdout } = spawnSync("ps", ["-o", "rss=", "-g", String(this.#group.pid)], { encoding: "utf8" });
    return stdout.split("\n").reduce((sum, line) => sum + Number(line), 0);
  }

  /** Evicts accounts' objects as the platform does: what they are doing comes to its end first. */
  evict(accounts: string[]): void {
    for (const account of accounts) this.#group?.child.send({ evict: account });
  }

  /** Ends accounts' objects in the middle of what they are doing. */
  breakOff(accounts: string[]): Promise<void> {
    return this.#tell({ breakOff: accounts });
  }

  /** Harms it from within, also after a restart, until it is told otherwise. */
  async harm(change: Partial<Harm>): Promise<void> {
    Object.assign(this.#harm, change);
    await this.#tell(change);
  }

  /** Sets the clock against the true one. */
  async setClock(clockMs: number): Promise<void> {
    this.#clock = { nowMs: clockMs, beforeMs: this.#clock.nowMs, jumpedAt: Date.now() };
    if (this.#libfaketime === null) return this.harm({ clockMs });
    this.#writeClock();
  }

  #writeClock(): void {
    const seconds = this.#clock.nowMs / 1000;
    writeFileSync(this.#clockFile, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  }

  async #tell(body: object): Promise<void> {
    // While it is down there is nobody to be harmed; a new start is told at once.
    await call(`${BASE}/__torture`, { method: "POST", body }).catch(() => undefined);
  }
}
