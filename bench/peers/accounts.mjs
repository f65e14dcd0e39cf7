// Shared by all peers: the accounts, the window, the price. Keys are derived from numbers, so that the load generator
// knows the keys of a server in another process.
import { hash } from "node:crypto";

/** Coins of each account at the start: more than any run can spend. */
export const BALANCE_START = 1_000_000_000;
export const COINS_PER_SEND = 1;
/** A window so short that the exact log of a busy account stays small, and a limit that no run reaches. */
export const WINDOW_MS = 100;
export const WINDOW_REQUESTS_MAX = 1_000_000;

/** The API key of account `n`, counted from 1. */
export const keyOf = (n) => `peer_${hash("sha256", `account ${n}`).slice(0, 40)}`;

/** The stored form of a key. */
export const hashOf = (key) => hash("sha256", key, "buffer");
