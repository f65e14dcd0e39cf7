// A separate PostgreSQL cluster in a directory, reached by a socket in it, with the default durability.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { runProgram, startProgram, untilReady } from "./processes.mjs";

const POSTGRES_USER = "postgres";
const CONNECTIONS_MAX = 64;
const OTHERS_MAY_PASS = 0o001;

const idOf = (flag) => spawnSync("id", [flag, POSTGRES_USER], { encoding: "utf8" });
const isRoot = () => process.getuid() === 0;

/** PostgreSQL refuses to run as root: whether this process is root and the user `postgres` does not exist. */
export const lacksUser = () => isRoot() && idOf("-u").status !== 0;

const identity = () => (isRoot() ? { uid: Number(idOf("-u").stdout), gid: Number(idOf("-g").stdout) } : {});

/** Makes a directory for PostgreSQL's user, and gives that user passage through its parent directories. */
function ownedDirectory(directory, { uid, gid }) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (uid === undefined) return;
  chownSync(directory, uid, gid);
  for (let above = path.dirname(directory); above !== path.dirname(above); above = path.dirname(above)) {
    const { mode } = statSync(above);
    if ((mode & OTHERS_MAY_PASS) === 0) chmodSync(above, mode | OTHERS_MAY_PASS);
  }
}

/** Starts a new cluster; `connection` holds the options for a `pg` client. */
export async function startPostgres(directory, { Client }) {
  const as = identity();
  ownedDirectory(directory, as);
  const data = path.join(directory, "data");
  const options = { ...as, cwd: directory };
  const initial = ["-D", data, "-U", POSTGRES_USER, "--auth=trust", "--encoding=UTF8", "--locale=C"];
  runProgram("initdb", initial, options);
  const settings = {
    listen_addresses: "",
    unix_socket_directories: directory,
    max_connections: CONNECTIONS_MAX,
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // SIGINT is PostgreSQL's fast shutdown, which does not wait for clients.
  const program = startProgram("postgres", ["-D", data, ...flags], { ...options, signal: "SIGINT" });
  const connection = { host: directory, user: POSTGRES_USER, database: "postgres" };
  await untilReady("postgres", program, async () => {
    const client = new Client(connection);
    await client.connect();
    await client.end();
  });
  return { connection, stop: () => program.stop() };
}
