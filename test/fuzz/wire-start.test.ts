import { vi } from "vitest";

// The same requests to `npm start`, which has the same runtime on its socket and nothing in front of it.
vi.stubEnv("FUZZ_TARGET", "npm start");

await import("./wire.test.ts");
