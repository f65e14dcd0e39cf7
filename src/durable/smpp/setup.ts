import { configOf } from "../../config/config.ts";
import { seal, unseal } from "../../crypto/seal.ts";
import { logProblem } from "../../log.ts";
import { SMPP_SETTINGS } from "../../smpp/settings.ts";
import type { SmppSettings } from "../../smpp/settings.ts";

// How the carrier is reached, as an object of its binds stores it: it has to connect without being asked.

const KEY = "setup";

/** What it connects with. */
export interface BindSetup {
  settings: SmppSettings;
  password: string;
}

interface Stored {
  /** When the operator set it, in ms; 0: told by a submission. */
  atMs: number;
  settings: unknown;
  sealed: Uint8Array;
  /** When the carrier was deleted, or this bind was taken from it, in ms. */
  retiredMs: number | null;
}

export class SetupStore {
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  readonly #scope: string;
  #known: BindSetup | null = null;

  /** `carrier` is its name. */
  constructor(storage: DurableObjectStorage, env: Env, carrier: string) {
    this.#storage = storage;
    this.#env = env;
    this.#scope = `carrier:${carrier}`;
  }

  #stored(): Stored | null {
    return this.#storage.kv.get<Stored>(KEY) ?? null;
  }

  /** Whether anything is stored. */
  get isThere(): boolean {
    return this.#stored() !== null;
  }

  /** When it was retired, in ms; null where it is in use. */
  get retiredMs(): number | null {
    return this.#stored()?.retiredMs ?? null;
  }

  /** The setup; null where there is none that this release and its secrets can read. */
  read(): BindSetup | null {
    if (this.#known) return this.#known;
    const stored = this.#stored();
    if (!stored) return null;
    try {
      const settings = SMPP_SETTINGS.parse(stored.settings);
      this.#known = { settings, password: unseal(configOf(this.#env).SEAL_SECRET, this.#scope, stored.sealed) };
    } catch (problem) {
      logProblem("smpp setup", problem);
    }
    return this.#known;
  }

  /**
   * Stores a setup, unless a newer one is there: `older`. `same` where it connects as before; its password is sealed
   * again with the present secret.
   */
  async write(setup: BindSetup, atMs: number): Promise<"older" | "same" | "changed"> {
    const before = this.read();
    const sealed = await seal(configOf(this.#env).SEAL_SECRET, this.#scope, setup.password);
    const stored = this.#stored();
    // One that cannot be read any more is replaced by whatever the carrier set has, but a deleted one stays deleted.
    const isOlder = stored !== null && atMs < stored.atMs && (before !== null || stored.retiredMs !== null);
    if (isOlder) return "older";
    const isSame = before !== null && stored?.retiredMs === null && JSON.stringify(before) === JSON.stringify(setup);
    const next: Stored = { atMs: Math.max(atMs, stored?.atMs ?? 0), settings: setup.settings, sealed, retiredMs: null };
    this.#storage.kv.put(KEY, next);
    this.#known = setup;
    return isSame ? "same" : "changed";
  }

  /** Notes that it is not used any more. */
  retire(atMs: number): void {
    const stored = this.#stored();
    if (!stored || atMs < stored.atMs || stored.retiredMs !== null) return;
    this.#storage.kv.put(KEY, { ...stored, atMs, retiredMs: atMs } satisfies Stored);
  }

  /** Forgets what is in memory: the storage is deleted. */
  forget(): void {
    this.#known = null;
  }
}
