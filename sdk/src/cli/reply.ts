// Replies of the client as this program writes them: the fields of the API, by the names of the API.

/** A reply's fields, with what its headers say beside them. */
export function wireOf(reply: object): Record<string, unknown> {
  const { success: _success, requestId, messageId, ...fields } = reply as Record<string, unknown>;
  return {
    ...(messageId !== undefined && { message_id: messageId }),
    // Of a send; a webhook has a number of that name.
    ...(typeof fields["replayed"] === "boolean" && { request_id: requestId }),
    ...fields,
  };
}

const PLURALS = new Intl.PluralRules("en");

/** A number with its thousands apart, as in India. */
export const amount = (number: number): string => number.toLocaleString("en-IN", { maximumFractionDigits: 4 });

/** `1 coin`, `2 coins`. */
export const counted = (count: number, word: string): string =>
  `${amount(count)} ${word}${PLURALS.select(count) === "one" ? "" : "s"}`;
