// Alerts leave the service, so they name no person: what looks like a phone number or an e-mail is cut.

/** A number as people and programs write it: after a plus, in a row, or in groups of three and more. */
const NUMBER = /\+[0-9][0-9 ()-]{5,}[0-9]|(?<![0-9A-Za-z_])(?:[0-9]{3,6}(?:[ -][0-9]{3,6})+|[0-9]{8,})(?![A-Za-z_])/gu;

const EMAIL = /[^\s@<>"']{1,64}@[^\s@<>"']{1,255}/gu;

/** Characters of a text in an alert. */
const LENGTH_MAX = 200;

/** The text without phone numbers, of which the last four digits stay, and without e-mail addresses; at most 200 long. */
export function withoutNumbers(text: string): string {
  return text
    .slice(0, 10 * LENGTH_MAX)
    .replace(EMAIL, "…@…")
    .replace(NUMBER, (number) => `…${number.replace(/[^0-9]/gu, "").slice(-4)}`)
    .slice(0, LENGTH_MAX);
}
