import { vi } from "vitest";

// The same tests against `npm start`, which runs the same runtime with nothing in front of its socket.
vi.stubEnv("FUZZ_TARGET", "npm start");

await import("./wire.test.ts");
