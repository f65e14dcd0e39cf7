import { env } from "cloudflare:workers";
import { Visitor } from "./visitor.ts";

/** A browser at the operator's desk, let in by the token. */
export async function atTheDesk(): Promise<Visitor> {
  const visitor = new Visitor();
  await visitor.submit("/desk/sign-in", { token: env.OPERATOR_TOKEN });
  return visitor;
}
