import { onTestFinished } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service, StartOptions } from "../../harness/started.ts";

/** Starts a service that ends with the test that asked for it. */
export async function startForTest(options: StartOptions = {}): Promise<Service> {
  const service = await startService(options);
  onTestFinished(() => service.kill9());
  return service;
}
