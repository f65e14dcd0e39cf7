import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { freshDirectory } from "../../../harness/program.ts";
import { startService } from "../../../harness/started.ts";
import type { Customer, Service } from "../../../harness/started.ts";
import { installedInto } from "./installed.ts";
import type { Shell } from "./terminal.ts";

/** A shell of a fresh account. */
interface Fresh {
  customer: Customer;
  /** Where its profiles are stored; none is, at first. */
  config: string;
  shell: Shell;
}

/** For the tests of a file: the program as npm installs it, and a running service. */
export function installedBesideService() {
  let service: Service | undefined;
  let directory = "";
  beforeAll(async () => {
    directory = await installedInto(freshDirectory());
    service = await startService();
  });
  afterAll(() => service?.kill9());
  const port = () => service?.port ?? 0;
  const url = () => `http://127.0.0.1:${port()}`;
  return {
    port,
    url,
    /** A file of this text, or of these bytes. */
    file: (name: string, content: string | Uint8Array): string => {
      const at = path.join(directory, name);
      writeFileSync(at, content);
      return at;
    },
    /** A shell under this Node with a fresh account's test key. */
    shellUnder: async (node = process.execPath): Promise<Fresh> => {
      if (!service) throw new Error("The service did not start.");
      const customer = await service.openAccount(100);
      const config = freshDirectory();
      const env = { DASTAK_API_KEY: customer.testKey, DASTAK_URL: url(), XDG_CONFIG_HOME: config };
      return { customer, config, shell: { node, cli: path.join(directory, "node_modules/.bin/dastak"), env } };
    },
  };
}
