import * as fc from "fast-check";
import { inject } from "vitest";

// One seed for every property and fuzzer of a run (CONTRIBUTING.md, "Seeds").

fc.configureGlobal({ seed: inject("seed") });
