// Facts about India that several areas need. This file imports nothing.

/** India's offset from UTC, in ms: the same everywhere in India and all year round, since 1945. */
export const INDIA_OFFSET_MS = 19_800_000;

/** The same as a time is written with it (RFC 3339). */
export const INDIA_OFFSET = "+05:30";

/** Ten digits of an Indian mobile, without country code. */
export const INDIAN_MOBILE = /^[6-9][0-9]{9}$/u;
