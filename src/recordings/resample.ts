// Sound at another sample rate: a low-pass filter, evaluated only where the new samples are (a polyphase filter bank;
// Crochiere and Rabiner, Multirate Digital Signal Processing, 1983, §3.3).

/** How far what does not fit below half of the new rate is held down, in dB. */
const STOP_DB = 70;
/** Kaiser's window for it (Oppenheim and Schafer, Discrete-Time Signal Processing, §7.5.3). */
const BETA = 0.1102 * (STOP_DB - 8.7);
/** The width between what passes and what is stopped, as a share of the lower of the two rates: 600 Hz of 8,000. */
const TRANSITION = 0.075;
/** Positions between two old samples that have filters of their own; others take the nearest. */
const PHASES_MAX = 1_024;

/** The modified Bessel function of order 0. */
function bessel0(x: number): number {
  let sum = 1;
  for (let term = 1, k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

interface Filters {
  /** Each phase has `taps` coefficients, one after the other. */
  coefficients: Float32Array;
  phases: number;
  taps: number;
}

/** The low-pass filter between two rates, at each phase. */
function filtersOf(from: number, to: number): Filters {
  const lower = Math.min(from, to);
  const width = (TRANSITION * lower) / from;
  /** Half of the filter's length, in old samples. */
  const half = Math.ceil((STOP_DB - 8) / (2.285 * 2 * Math.PI * width) / 2);
  /** The middle of the transition, in cycles per old sample. */
  const cutoff = lower / from / 2 - width / 2;
  const phases = Math.min(to / gcd(from, to), PHASES_MAX);
  const taps = 2 * half;
  const coefficients = new Float32Array(phases * taps);
  const scale = bessel0(BETA);
  for (let phase = 0; phase < phases; phase += 1) {
    const own = coefficients.subarray(phase * taps, (phase + 1) * taps);
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = tap - half + 1 - phase / phases;
      const angle = 2 * Math.PI * cutoff * distance;
      const ideal = distance === 0 ? 2 * cutoff : Math.sin(angle) / (Math.PI * distance);
      const inside = Math.max(0, 1 - (distance / half) ** 2);
      own[tap] = (ideal * bessel0(BETA * Math.sqrt(inside))) / scale;
    }
    // Silence and steady levels stay what they are at every phase.
    const sum = own.reduce((total, one) => total + one, 0);
    for (let tap = 0; tap < taps; tap += 1) own[tap] = (own[tap] ?? 0) / sum;
  }
  return { coefficients, phases, taps };
}

/**
 * The same sound with `to` samples per second in place of `from`. Frequencies above half of the lower rate are at least
 * 60 dB down, also as aliases; those up to 85 % of that stay as they are.
 */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const { coefficients, phases, taps } = filtersOf(from, to);
  const half = taps / 2;
  const made = new Float32Array(Math.floor((samples.length * to) / from));
  for (let at = 0; at < made.length; at += 1) {
    const position = (at * from) / to;
    let base = Math.floor(position);
    let phase = Math.round((position - base) * phases);
    if (phase === phases) {
      base += 1;
      phase = 0;
    }
    const start = base - half + 1;
    const first = Math.max(0, -start);
    const last = Math.min(taps, samples.length - start);
    let sum = 0;
    for (let tap = first, row = phase * taps; tap < last; tap += 1) {
      sum += (coefficients[row + tap] ?? 0) * (samples[start + tap] ?? 0);
    }
    made[at] = sum;
  }
  return made;
}
