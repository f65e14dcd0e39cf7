// Lifts the rate limit for one purpose: an account that sends thousands of requests per second, which no plan admits.
// The peers use the same limit and window.
import { WINDOW_MS } from "../peers/index.mjs";

const LIMIT = 1e6;

/** Each pattern matches one place in the minified bundle: the largest plan's limit, and the window's length. */
const PLACES = [
  { place: /(premium:\{requestsPerMinute:)200\b/gu, value: LIMIT },
  { place: /(\.filter\((\w)=>\2>\w-)6e4(?=\)\.map\(\2=>Math\.min\()/gu, value: WINDOW_MS },
];

/** The bundle with both values replaced; throws if a pattern does not match exactly once. */
export function lifted(bundle) {
  return PLACES.reduce((text, { place, value }) => {
    if ([...text.matchAll(place)].length !== 1) throw new Error(`the bundle has no place like ${place}`);
    return text.replace(place, (_, before) => `${before}${value}`);
  }, bundle);
}
