// One server of the benchmarks as a process of its own: node bench/server.mjs NAME PORT STATE. It says when it is ready, and ends when it is killed.
import { startFloors } from "./floors.mjs";
import { startService } from "./service.mjs";

const SERVERS = { service: startService, floors: startFloors };

const [name = "", port = "", stateDir = ""] = process.argv.slice(2);
const { stop: _stop, miniflare: _miniflare, ...server } = await SERVERS[name]({ port: Number(port), stateDir });
console.log(JSON.stringify({ ready: true, ...server }));
