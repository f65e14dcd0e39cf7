// Whether the secrets of a deployed service are strong enough.

/** Secrets with this prefix are for local use; a deployed service refuses them. */
export const DEMO_SECRET_PREFIX = "local-only-";

/** Of random hexadecimal digits, 32 have fewer different ones than this less than once in a hundred million times. */
const SECRET_CHARACTERS_MIN = 8;

/** Whether a text is one shorter text several times over: then it occurs in its double before the middle. */
const isRepeated = (text: string) => `${text}${text}`.indexOf(text, 1) < text.length;

/** Why a secret is too weak to be deployed, or null. The value of a `whsec_` secret is what follows that mark. */
function secretFault(value: string): string | null {
  const marked = value.startsWith("whsec_");
  const text = marked ? value.slice("whsec_".length) : value;
  // Buffer, unlike atob, accepts any text: only one of the secrets has to be Base64.
  const plain = marked ? Buffer.from(text, "base64").toString() : text;
  if (plain.startsWith(DEMO_SECRET_PREFIX)) return "is a demo secret";
  return isRepeated(text) || new Set(text).size < SECRET_CHARACTERS_MIN ? "is too easy to guess" : null;
}

/** A secret and the name of its setting. */
interface NamedSecret {
  name: string;
  value: string;
}

/** Faults of the secrets of a deployed service: each is strong, and none serves two purposes. Names no value. */
export function faultsOfSecrets(given: readonly NamedSecret[]): string[] {
  const faults = given.flatMap(({ name, value }) => {
    const fault = secretFault(value);
    return fault === null ? [] : `${name} ${fault}; make one with: openssl rand -hex 32`;
  });
  const names = new Map<string, string[]>();
  for (const { name, value } of given) names.set(value, [...(names.get(value) ?? []), name]);
  for (const same of names.values()) if (same.length > 1) faults.push(`${same.join(" and ")} must differ`);
  return faults;
}
