import { randomInt } from "node:crypto";
import type { TestProject } from "vitest/node";
import { buildAssets } from "../../scripts/build.mjs";

/** Seeds are below this, so that a fuzzer can add a small number to its seed. */
const SEEDS_END = 2 ** 31 - 1_000;

/** The seed in TEST_SEED, or a random one; throws if TEST_SEED is not a seed. */
function seedOfRun(): number {
  const { TEST_SEED } = process.env;
  const seed = TEST_SEED === undefined ? randomInt(SEEDS_END) : Number(TEST_SEED);
  if (TEST_SEED === "" || !Number.isInteger(seed) || seed < 0 || seed >= SEEDS_END) {
    throw new Error(`TEST_SEED is a whole number from 0 to ${SEEDS_END - 1}`);
  }
  return seed;
}

/** Runs once before the first test: sets the seed, and builds the browser's assets, which are part of the Worker. */
export default async function setup(project: TestProject): Promise<void> {
  const seed = seedOfRun();
  project.provide("seed", seed);
  process.stdout.write(`The seed of this run: TEST_SEED=${seed}\n`);
  await buildAssets();
}
