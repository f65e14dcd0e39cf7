import type { Base, DastakOptions } from "./options.ts";

const BASES: readonly Base[] = ["sms", "tts", "voice", "otp", "console"];

/** One address without its slash at the end; throws for what is no address of a service. */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/u.test(url.protocol)) {
    throw new TypeError(`baseUrl must be an http or https address, such as https://{base}.example.com, not: ${text}`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError("baseUrl must have no user, password, ? or #.");
  }
  return url.href.replace(/\/+$/u, "");
}

/** The address of each base. */
export function addressesOf(baseUrl: DastakOptions["baseUrl"]): Record<Base, string> {
  const of = (base: Base) => (typeof baseUrl === "string" ? baseUrl.replaceAll("{base}", base) : baseUrl[base]);
  return Object.fromEntries(BASES.map((base) => [base, addressOf(of(base))])) as Record<Base, string>;
}

/** The path of a request with its parameters filled in: `/v1/messages/{id}`. Throws for one that would change the path. */
export function pathOf(template: string, values: readonly unknown[]): string {
  let place = 0;
  return template.replaceAll(/\{([^}]+)\}/gu, (_whole, name: string) => {
    const value = values[place++];
    if (typeof value !== "string" || value === "" || value === "." || value === "..") {
      throw new TypeError(`${name} must be a text that is not empty.`);
    }
    return encodeURIComponent(value);
  });
}

/** The parameters of a request as `?…`; what is undefined or null is left out. */
export function queryOf(values: object | undefined): string {
  const given = Object.entries(values ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}
