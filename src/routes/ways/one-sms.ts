import type * as z from "zod";
import { FailureError } from "../../http/errors.ts";
import { failureOfIssue } from "../../http/body.ts";
import type { RateCard } from "../../money/pricing.ts";
import type { Ordered } from "../../sending/ordering.ts";
import { internationalOrdering } from "../sms/send-international-sms.ts";

// One SMS in the shape of another product becomes one of ours here: its schema, price, route and reply are those of
// operation 3, which takes Indian mobiles as operation 1 does (contract §15).

type Fields = z.input<typeof internationalOrdering.schema>;

/** The names under which the caller gave the fields. */
export type GivenNames = Partial<Record<keyof Fields, string>>;

/** The priced order of one SMS to a number in E.164. A fault ends the request, with the caller's name of the field. */
export function orderSms(fields: Fields, names: GivenNames, card: RateCard): Ordered {
  const { data, error } = internationalOrdering.schema.safeParse(fields);
  if (data) {
    const { order, reply } = internationalOrdering.order(data, card);
    return { order: { ...order, ...(names.phone !== undefined && { numberField: names.phone }) }, reply };
  }
  const failure = failureOfIssue(error.issues[0]);
  const { param = "", error: sentence } = failure;
  const name = names[param as keyof Fields] ?? param;
  throw new FailureError({ ...failure, error: sentence.replace(param, name), param: name });
}
