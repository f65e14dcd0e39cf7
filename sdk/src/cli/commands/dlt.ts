import type { PutDltBody } from "../../index.ts";
import type { Command } from "../command.ts";
import { fileText } from "../input.ts";
import { counted, wireOf } from "../reply.ts";
import { usage } from "../stop.ts";

// The account's DLT registry (contract §17).

const FILE = { name: "FILE", about: "A file, or - for the standard input" } as const;

const show: Command = {
  name: "dlt show",
  about: "Show the DLT registry; with --json all of it",
  options: {},
  examples: ["dastak dlt show", "dastak dlt show --json > registry.json"],
  async run({ out, connect }) {
    const reply = await connect().client.getDlt();
    const { entity_id, enforce, headers, templates, otp, updated_at } = reply.dlt;
    out.show(wireOf(reply), () =>
      out.facts([
        ["entity", entity_id ?? undefined],
        ["enforce", enforce],
        ["headers", headers.map(({ header }) => header).join(", ")],
        ["templates", String(templates.length)],
        ["otp template", otp?.template_id],
        ["changed", updated_at ?? undefined],
      ]),
    );
  },
};

/** A registry in a file, or in what `dlt show --json` printed. */
async function registryIn(file: string): Promise<PutDltBody> {
  const text = await fileText(file);
  try {
    const read = JSON.parse(text) as PutDltBody & { dlt?: PutDltBody };
    return read.dlt ?? read;
  } catch {
    throw usage(`${file} is not JSON.`);
  }
}

const put: Command = {
  name: "dlt put",
  about: "Replace the DLT registry by a JSON file",
  args: [FILE],
  options: {},
  examples: ["dastak dlt put registry.json"],
  async run({ out, connect }, given) {
    const reply = await connect().client.putDlt(await registryIn(given.arg(0)));
    out.show(
      wireOf(reply),
      `The registry has ${counted(reply.dlt.templates.length, "template")}; ${reply.dlt.enforce}.`,
    );
  },
};

const load: Command = {
  name: "dlt import",
  about: "Add the templates of a portal's CSV",
  args: [FILE],
  options: {},
  examples: ["dastak dlt import templates.csv"],
  async run({ out, connect }, given) {
    const reply = await connect().client.importDlt(await fileText(given.arg(0)));
    const lines = [
      `${counted(reply.added, "template")} added, ${reply.changed} changed, ${reply.unchanged} as before.`,
      ...reply.skipped.map(({ line, reason }) => `line ${line}: left out. ${reason}`),
      ...reply.errors.map(({ line, column, error }) => `line ${line}, ${column}: ${error}`),
    ];
    out.show(wireOf(reply), lines.join("\n"));
  },
};

export const DLT: readonly Command[] = [show, put, load];
