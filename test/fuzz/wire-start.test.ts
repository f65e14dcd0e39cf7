import { vi } from "vitest";

// The same requests to `npm start`, which has the same runtime on its socket: fewer of each, since the program is the one
// that wire.test.ts has met already.
vi.stubEnv("FUZZ_TARGET", "npm start");
vi.stubEnv("FUZZ_RUNS", process.env["FUZZ_RUNS"] ?? "200");

await import("./wire.test.ts");
