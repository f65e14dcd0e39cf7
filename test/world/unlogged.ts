import { afterEach, beforeEach, expect, vi } from "vitest";

/** Lets every test of a file fail that logs this text; its console is silent, its clock and its spies are restored. */
export function neverLogs(text: string): void {
  let logged: string[] = [];
  beforeEach(() => {
    logged = [];
    for (const way of ["log", "error", "warn"] as const) {
      vi.spyOn(console, way).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(" ")));
    }
  });
  afterEach(() => {
    expect(logged.join("\n")).not.toContain(text);
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}
