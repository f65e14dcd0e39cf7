// The times of submissions: one slot after the other at the carrier's rate, so that no second gets more than its share.

/** Slots are this far apart at least: at a higher rate each holds several submissions. */
const SLOT_MS = 5;

/** A kept slot that is this near is anybody's. */
const LAPSES_MS = 250;

interface Slot {
  atMs: number;
  free: number;
  kept: number;
  /** Taken by consumers, which may give them back. */
  taken: number;
}

/** Who wants slots. */
export interface Wanted {
  count: number;
  /** The shortest time between two of them, in ms. */
  gapMs: number;
  /** The latest of them. */
  untilMs: number;
  isBulk: boolean;
}

/** The slots that are free, from now on. */
export class Schedule {
  #slots: Slot[] = [];
  /** Where the next slot comes to lie, with a fraction of a ms. */
  #nextMs = 0;
  /** Fractions of a submission, and of a kept one, that the slots so far still owe. */
  #owed = 0;
  #owedKept = 0;

  /** Takes free slots, the earliest first: their times, ascending. A share `kept` of those made for it is not for bulks. */
  take(nowMs: number, perSec: number, kept: number, wanted: Wanted): number[] {
    this.#lapse(nowMs);
    const times: number[] = [];
    let fromMs = nowMs;
    // A consumer that is faster than the slots takes several of one.
    const isFast = wanted.gapMs < SLOT_MS;
    const isInTime = ({ atMs }: Slot) => (isFast ? atMs + SLOT_MS > fromMs : atMs >= fromMs);
    for (let at = 0; times.length < wanted.count; at++) {
      const slot = this.#slotAt(at, perSec, kept, wanted.untilMs);
      if (!slot || slot.atMs > wanted.untilMs) break;
      while (isInTime(slot) && times.length < wanted.count && usable(slot, nowMs, wanted.isBulk)) {
        use(slot, wanted.isBulk);
        slot.taken += 1;
        times.push(slot.atMs);
        fromMs = Math.max(fromMs, slot.atMs) + wanted.gapMs;
      }
    }
    return times;
  }

  /** The time of the first slot that a lane could take. */
  headMs(nowMs: number, isBulk: boolean): number {
    this.#lapse(nowMs);
    const first = this.#slots.find((slot) => usable(slot, nowMs, isBulk));
    return first?.atMs ?? this.#nextMs;
  }

  /** Takes the first free slot of all, however far ahead, for a submission that could not wait for it. */
  payBack(nowMs: number, perSec: number): void {
    this.#lapse(nowMs);
    for (let at = 0; ; at++) {
      const slot = this.#slotAt(at, perSec, 0, Infinity);
      if (slot && slot.free + slot.kept > 0) return use(slot, false);
    }
  }

  /** Frees slots that were taken and not used, each once; returns those of them that are still ahead. */
  giveBack(nowMs: number, times: readonly number[]): number[] {
    return times.filter((atMs) => {
      const slot = atMs > nowMs && this.#slots.find((one) => one.atMs === atMs && one.taken > 0);
      if (!slot) return false;
      slot.taken -= 1;
      slot.free += 1;
      return true;
    });
  }

  /** Forgets the free slots; with a time, there is none before it. */
  clear(fromMs: number | null): void {
    this.#slots = [];
    if (fromMs !== null) this.#nextMs = fromMs;
  }

  /** A slot by its place, made where it is not there yet and may be; the last is the first beyond `untilMs`. */
  #slotAt(at: number, perSec: number, kept: number, untilMs: number): Slot | undefined {
    while (at >= this.#slots.length && this.#nextMs <= untilMs) {
      const widthMs = Math.max(SLOT_MS, 1_000 / perSec);
      this.#owed += (perSec * widthMs) / 1_000;
      const count = Math.floor(this.#owed + 1e-9);
      this.#owed -= count;
      this.#owedKept += count * kept;
      const keeps = Math.min(count, Math.floor(this.#owedKept + 1e-9));
      this.#owedKept -= keeps;
      this.#slots.push({ atMs: Math.floor(this.#nextMs + 1 - 1e-6), free: count - keeps, kept: keeps, taken: 0 });
      this.#nextMs += widthMs;
    }
    return this.#slots[at];
  }

  /** Drops what is past: time that was not asked for is lost. */
  #lapse(nowMs: number): void {
    const ahead = this.#slots.findIndex((slot) => slot.atMs >= nowMs);
    this.#slots.splice(0, ahead === -1 ? this.#slots.length : ahead);
    if (this.#nextMs < nowMs) this.#nextMs = nowMs;
  }
}

function usable(slot: Slot, nowMs: number, isBulk: boolean): boolean {
  return slot.free > 0 || (slot.kept > 0 && (!isBulk || slot.atMs < nowMs + LAPSES_MS));
}

/** Bulks leave what is kept to others, and those leave what is free to bulks, as long as there is a choice. */
function use(slot: Slot, isBulk: boolean): void {
  if (slot.kept === 0 || (isBulk && slot.free > 0)) slot.free -= 1;
  else slot.kept -= 1;
}
