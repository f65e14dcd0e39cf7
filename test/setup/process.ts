import { afterAll } from "vitest";
import { endPrograms } from "../../harness/program.ts";

// Nothing outlives the file that began it, whatever fails in it.
afterAll(endPrograms);
