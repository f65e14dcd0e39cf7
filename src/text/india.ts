// What is so in India and several areas need. This file imports nothing.

/** India's offset from UTC, in ms: one for all of it and all the year, since 1945. */
export const INDIA_OFFSET_MS = 19_800_000;

/** Ten digits of an Indian mobile, as a pattern of HTML has it. */
export const INDIAN_MOBILE_PATTERN = "[6-9][0-9]{9}";

/** Ten digits of an Indian mobile, without country code. */
export const INDIAN_MOBILE = new RegExp(`^${INDIAN_MOBILE_PATTERN}$`, "u");
