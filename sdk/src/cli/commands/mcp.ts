import { addressesOf } from "../../addresses.ts";
import { bridge, linesOf } from "../bridge.ts";
import type { Command, Context } from "../command.ts";
import { settingsOf } from "../connection.ts";
import type { Given } from "../given.ts";
import { usage } from "../stop.ts";

// The account as tools for assistants (Model Context Protocol).

/** How a client's configuration names this program. */
interface Launch {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** Where each client has its configuration, and how it is written there. */
const CLIENTS: Readonly<Record<string, { into: string; text: (launch: Launch) => string }>> = {
  claude: {
    into: ".mcp.json of a project for Claude Code, or claude_desktop_config.json for Claude Desktop",
    text: (launch) => asJson({ mcpServers: { dastak: launch } }),
  },
  codex: {
    into: "~/.codex/config.toml",
    text: ({ command, args, env }) =>
      [
        "[mcp_servers.dastak]",
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
        ...(env
          ? [
              "[mcp_servers.dastak.env]",
              ...Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
            ]
          : []),
      ].join("\n"),
  },
  cursor: {
    into: ".cursor/mcp.json of a project, or ~/.cursor/mcp.json",
    text: (launch) => asJson({ mcpServers: { dastak: launch } }),
  },
  vscode: {
    into: ".vscode/mcp.json of a project",
    text: (launch) => asJson({ servers: { dastak: { type: "stdio", ...launch } } }),
  },
};

const asJson = (value: object) => JSON.stringify(value, null, 2);

/** What to paste. It never has a key in it: a stored profile is named, and without one there is a place for the key. */
function launchOf(given: Given, env: Context["env"]): Launch {
  const { apiKey, url, source } = settingsOf(given, env);
  const [, profile] = /^profile (.*)$/su.exec(source) ?? [];
  const args = ["-y", "dastak", "mcp"];
  if (apiKey !== undefined && profile !== undefined) return { command: "npx", args: [...args, "--profile", profile] };
  return { command: "npx", args, env: { DASTAK_API_KEY: "dsk_test_…", DASTAK_URL: url } };
}

function printConfig(name: string, { out, env }: Context, given: Given): void {
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (!client) throw usage(`There is no client ${name}.`, `There are: ${Object.keys(CLIENTS).join(", ")}.`);
  process.stderr.write(`For ${client.into}:\n`);
  out.text(client.text(launchOf(given, env)));
}

/** `dastak mcp`. */
export const mcp: Command = {
  name: "mcp",
  about: "Be an MCP server on stdin and stdout, for assistants",
  more: "An assistant starts it, and gets the account's operations as tools. With a live key a tool that sends or cancels first says what it would do, and does it when it is called again with the value from that reply. Begin with a test key.",
  options: {
    "print-config": {
      type: "string",
      value: "CLIENT",
      values: Object.keys(CLIENTS),
      about: "Write what to paste into a client",
    },
  },
  examples: ["dastak mcp --print-config claude", "dastak mcp --print-config vscode --profile test"],
  watches: true,
  async run(context, given) {
    const client = given.text("print-config");
    if (client !== undefined) return printConfig(client, context, given);
    const { apiKey, url } = context.connect();
    const { stdin, stdout, stderr } = process;
    stdin.setEncoding("utf8");
    context.signal.addEventListener("abort", () => stdin.destroy());
    await bridge(linesOf(stdin as AsyncIterable<string>), {
      endpoint: `${addressesOf(url).console}/mcp`,
      apiKey,
      write: (line) => void stdout.write(`${line}\n`),
      tell: (text) => void stderr.write(`dastak mcp: ${text}\n`),
      signal: context.signal,
    });
  },
};
