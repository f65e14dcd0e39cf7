import { coins } from "../money/money.ts";
import type { Mode } from "../model/ref.ts";
import type { Lang } from "./lang.ts";

// Numbers, money and times in Indian formats.

/** Every page writes times in this zone, because the days of chart, search and invoices are India's. */
const TIME_ZONE = "Asia/Kolkata";

const LOCALE: Record<Lang, string> = { en: "en-IN", hi: "hi-IN" };

/** Units as rupees, such as ₹2,77,071.50; fractions of a paisa only when there are any. */
export function rupees(units: number, lang: Lang): string {
  const options = { style: "currency", currency: "INR", minimumFractionDigits: 2, maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(LOCALE[lang], options).format(coins(units));
}

/** Units as a page writes them: as rupees, and in test mode without the sign, because that balance is no money. */
export function moneyText(units: number, lang: Lang, mode: Mode): string {
  if (mode === "live") return rupees(units, lang);
  const options = { minimumFractionDigits: 2, maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(LOCALE[lang], options).format(coins(units));
}

/** Paise as rupees. */
export function paise(amount: number, lang: Lang): string {
  return new Intl.NumberFormat(LOCALE[lang], { style: "currency", currency: "INR" }).format(amount / 100);
}

export function count(value: number, lang: Lang): string {
  return new Intl.NumberFormat(LOCALE[lang]).format(value);
}

const STYLES = {
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  day: { day: "numeric", month: "short" },
  date: { day: "numeric", month: "short", year: "numeric" },
  full: {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimeStyle = keyof typeof STYLES;

/** A time as text, in Indian time. */
export function timeText(ms: number, style: TimeStyle, lang: Lang): string {
  return new Intl.DateTimeFormat(LOCALE[lang], { ...STYLES[style], timeZone: TIME_ZONE }).format(ms);
}

/** A whole time in the time zone of this machine, with the zone's name. */
export function zonedTimeText(ms: number, lang: Lang): string {
  return new Intl.DateTimeFormat(LOCALE[lang], { ...STYLES.full, timeZoneName: "short" }).format(ms);
}

/** +91 98765 43210 for an Indian number; others are unchanged. */
export function phoneText(e164: string): string {
  return /^\+91\d{10}$/u.test(e164) ? `+91 ${e164.slice(3, 8)} ${e164.slice(8)}` : e164;
}

/** The last digits of a number that is shown to a person who has not proved that it is theirs. */
const SHOWN_DIGITS = 2;

/** A number of which only the last two digits can be read, such as +91 ••••• •••10. */
export function maskedPhone(e164: string): string {
  const text = phoneText(e164);
  const prefix = text.startsWith("+91 ") ? "+91 " : "+";
  const rest = text.slice(prefix.length);
  return prefix + rest.slice(0, -SHOWN_DIGITS).replaceAll(/\d/gu, "•") + rest.slice(-SHOWN_DIGITS);
}

/** Bytes as KiB or MiB. */
export function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}

/** A calendar month, such as 2026-11, as text. */
export function monthText(month: string, lang: Lang): string {
  const options = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat(LOCALE[lang], options).format(Date.parse(`${month}-01`));
}
