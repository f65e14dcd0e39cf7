import { vi } from "vitest";

/** The security lines that are logged while something runs. */
export async function securityLines(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await work();
  const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
  log.mockRestore();
  return lines.filter(({ event }) => event === "security");
}
