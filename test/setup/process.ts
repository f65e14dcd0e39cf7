import { afterAll } from "vitest";
import { endPrograms } from "../../harness/program.ts";

// Programs that a test file started end with it, whether or not its tests pass.
afterAll(endPrograms);
