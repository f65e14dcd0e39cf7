import { DurableObject } from "cloudflare:workers";

/** What the simulator caught, for one account in test mode; on a developer's machine, for everything. */
export class Inbox extends DurableObject<Env> {}
