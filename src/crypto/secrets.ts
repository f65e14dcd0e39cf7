import { sameBytes } from "./bytes.ts";

// A secret of the service that can be replaced while it is in use: a list of secrets, each with an id. The first of the
// list makes; all of them verify and open. The id stands in front of what was made, so that it says which one to use.

/** One secret of a list. */
export interface Secret {
  /** 1 to 127. What was made before secrets had ids was made by the one with the id 1. */
  id: number;
  value: string;
}

const ID_MAX = 127;

const LENGTH_MIN = 32;

/** Each request with an Idempotency-Key is looked up under every listed secret. */
const LISTED_MAX = 5;

/** The id of the only secret of a setting that is no list, and of all that names none. */
export const FIRST_ID = 1;

/** The id of a secret as it is stored beside what it made, and left out where it is the first. */
export const unlessFirst = (id: number | null): { secretId?: number } =>
  id === null || id === FIRST_ID ? {} : { secretId: id };

/** The listed secrets. In a log or in JSON it shows no value. */
export class Secrets {
  readonly #all: readonly [Secret, ...Secret[]];
  readonly #lowest: Secret;

  constructor(current: Secret, others: readonly Secret[]) {
    this.#all = [current, ...others];
    this.#lowest = this.#all.reduce((lowest, one) => (one.id < lowest.id ? one : lowest), current);
  }

  /** Every listed secret, the one that makes first. */
  get all(): readonly Secret[] {
    return this.#all;
  }

  /** The one that makes. */
  get current(): Secret {
    return this.#all[0];
  }

  /** The one with the lowest id: it stays the same until it is taken from the list, the last step of a rotation. */
  get lowest(): Secret {
    return this.#lowest;
  }

  /** The secret with this id; undefined where it is not listed. */
  withId(id: number): Secret | undefined {
    const [current] = this.#all;
    return current.id === id ? current : this.#all.find((one) => one.id === id);
  }
}

/** Secrets, or the text of their setting. */
export type GivenSecrets = Secrets | string;

const LISTED = /^[0-9]+:/u;

/** Why a text is no setting of secrets; it names ids, and never a value. */
function faultOf(list: readonly Secret[], isList: boolean): string | null {
  const ids = list.map(({ id }) => id);
  if (ids.some((id) => !(Number.isSafeInteger(id) && id >= 1 && id <= ID_MAX))) {
    return `must be a secret, or a list such as 2:<secret>,1:<secret> with an id from 1 to ${ID_MAX} before each`;
  }
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) return `lists the id ${twice} twice`;
  if (list.length > LISTED_MAX) return `lists more than ${LISTED_MAX} secrets`;
  for (const { id, value } of list) {
    const which = isList ? `the secret with the id ${id} ` : "";
    if (value.length < LENGTH_MIN) return `${which}must have at least ${LENGTH_MIN} characters`;
    if (isList && value !== value.trim()) return `${which}must have no space before or after it`;
    // More likely a secret whose id was left out than a part of this one.
    if (isList && value.includes(",")) return `${which}must have no comma in it`;
    const same = list.find((other) => other.id !== id && other.value === value);
    if (same) return `lists the same secret under the ids ${id} and ${same.id}`;
  }
  return null;
}

/** Reads a setting of secrets: a list, or one secret, which has the id 1. The fault is the end of a sentence about it. */
export function readSecrets(text: string): { ok: true; secrets: Secrets } | { ok: false; fault: string } {
  const isList = LISTED.test(text);
  const list = isList
    ? text.split(/,\s*(?=[0-9]+:)/u).map((entry) => {
        const at = entry.indexOf(":");
        const id = entry.slice(0, at);
        return { id: /^[1-9][0-9]{0,2}$/u.test(id) ? Number(id) : 0, value: entry.slice(at + 1) };
      })
    : [{ id: FIRST_ID, value: text }];
  const fault = faultOf(list, isList);
  const [current, ...others] = list;
  if (fault !== null || !current) return { ok: false, fault: fault ?? "is empty" };
  return { ok: true, secrets: new Secrets(current, others) };
}

const known = new Map<string, Secrets>();
const KNOWN_MAX = 100;

/** The secrets of a setting: for one text always the same object, which caches compare. Throws where it has a fault. */
export function secretsOf(given: GivenSecrets): Secrets {
  if (typeof given !== "string") return given;
  const before = known.get(given);
  if (before) return before;
  const read = readSecrets(given);
  if (!read.ok) throw new Error(`a setting of secrets ${read.fault}`);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(given, read.secrets);
  return read.secrets;
}

/**
 * Whether one of the listed secrets made a proof that has no id in front: of a cookie, a code or a form, which are
 * short-lived or rare. Of `proofOf` it tries each secret in turn.
 */
export function isProved(given: GivenSecrets, proof: Uint8Array, proofOf: (secret: string) => Uint8Array): boolean {
  return secretsOf(given).all.some(({ value }) => sameBytes(proof, proofOf(value)));
}
