// npm run reset: wipes the local state.
import { rmSync } from "node:fs";
import { STATE_DIR } from "./local.mjs";

rmSync(STATE_DIR, { recursive: true, force: true });
console.log("The local state is wiped; npm start begins anew.");
