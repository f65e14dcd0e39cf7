import * as fc from "fast-check";
import { inject } from "vitest";

// One seed for all properties and fuzzers of a run (CONTRIBUTING.md, "Seeds").

fc.configureGlobal({ seed: inject("seed") });
