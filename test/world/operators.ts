import { env } from "cloudflare:workers";
import { Visitor } from "./visitor.ts";

/** A browser that is signed in at the operator's desk. */
export async function atTheDesk(): Promise<Visitor> {
  const visitor = new Visitor();
  await visitor.submit("/desk/sign-in", { token: env.OPERATOR_TOKEN });
  return visitor;
}
