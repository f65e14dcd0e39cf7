import { codePoints } from "../text/code-points.ts";
import { SMS_LENGTH_MAX } from "../http/fields.ts";
import { countSegments } from "../text/segments.ts";
import { plainText } from "../text/unicode.ts";
import { fieldsOf, textOf } from "./json.ts";
import type { Json } from "./json.ts";

// The SMS of an alert, from the webhooks of Alertmanager, Grafana and Uptime Kuma (contract §15). An alert must arrive, so
// that its text is cut where another one is refused; and it should cost one segment, so that what GSM-7 has not is replaced
// or, if it is a picture, left out.

const CUT = "...";

/** Whether a text can be sent: at most 160 characters, and one segment where it is GSM-7. */
function fits(text: string): boolean {
  if (codePoints(text) > SMS_LENGTH_MAX) return false;
  const { encoding, segments } = countSegments(text);
  return encoding === "UCS-2" || segments === 1;
}

/** The text on one line, without pictures, cut to what fits. */
function fitted(text: string): string {
  const line = plainText(text.toWellFormed())
    .replaceAll(/[\p{Extended_Pictographic}\ufe0f\u200d]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/([[(]) /gu, "$1")
    .trim();
  if (fits(line)) return line;
  let letters = [...line].slice(0, SMS_LENGTH_MAX - CUT.length);
  while (!fits(letters.join("") + CUT)) letters = letters.slice(0, -1);
  return letters.join("").trimEnd() + CUT;
}

/** The first text under one of these names, in the first of these objects that has one. */
function firstText(objects: readonly Json[], ...names: string[]): string | null {
  for (const name of names) {
    for (const object of objects) {
      const text = textOf(object[name]);
      if (text !== null) return text;
    }
  }
  return null;
}

/** Grafana's message where it was written for people: its default one is a list with addresses, and begins with **. */
function ownMessage(body: Json): string | null {
  const text = textOf(body["message"]);
  return text === null || text.startsWith("**") || codePoints(text) > SMS_LENGTH_MAX ? null : text;
}

/** The text of an alert's webhook, such as `FIRING (2) DiskFull: /var is 97 % full`; null for any other body. */
export function alertText(body: Json): string | null {
  const { alerts } = body;
  // Uptime Kuma: both are null in a test, and in a notice about a certificate.
  if (!Array.isArray(alerts)) {
    const text = textOf(body["msg"]);
    return text !== null && "heartbeat" in body && "monitor" in body ? fitted(text) || null : null;
  }
  const own = ownMessage(body);
  if (own !== null) return fitted(own) || null;
  const all = alerts.map(fieldsOf);
  const firing = all.filter(({ status }) => status === "firing");
  const [first = {}] = firing.length > 0 ? firing : all;
  const status = textOf(body["status"]) ?? textOf(first["status"]) ?? "alert";
  const labels = [fieldsOf(body["commonLabels"]), fieldsOf(body["groupLabels"]), fieldsOf(first["labels"])];
  const annotations = [fieldsOf(body["commonAnnotations"]), fieldsOf(first["annotations"])];
  const name = firstText(labels, "alertname") ?? "alert";
  const summary = firstText(annotations, "summary", "description", "message");
  const count = firing.length > 0 ? firing.length : all.length;
  const several = count > 1 ? ` (${count})` : "";
  return fitted(`${status.toUpperCase()}${several} ${name}${summary === null ? "" : `: ${summary}`}`);
}
