// Samples: one request in the languages of our users. What a page prints is what the tests run, by the real interpreters.

/** The languages, in the order of the tabs. */
export const LANGUAGES = {
  curl: { title: "curl", fence: "sh" },
  node: { title: "Node", fence: "js" },
  python: { title: "Python", fence: "python" },
  php: { title: "PHP", fence: "php" },
  go: { title: "Go", fence: "go" },
  java: { title: "Java", fence: "java" },
  ruby: { title: "Ruby", fence: "ruby" },
} as const;

export type Language = keyof typeof LANGUAGES;

/** A whole program in one language. */
export interface Sample {
  language: Language;
  code: string;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The variable of the environment that holds the key, in samples that do not contain it. */
export const KEY_VARIABLE = "DASTAK_KEY";

/** What a sample sends. */
export interface SampleRequest {
  method: string;
  url: string;
  /** The header with the key and what stands in it before the key; null where no key is needed. */
  auth: { name: string; before: string } | null;
  /** The key itself; null reads it from the environment. */
  key: string | null;
  /** The fields of the JSON body. */
  body?: Readonly<Record<string, Json>> | undefined;
  /** The field of the body that is a file's content in Base64, and the file's name. */
  file?: { field: string; name: string } | undefined;
  /** A file that is the whole body, of an operation that costs nothing: its media type, and its name. */
  upload?: { type: string; name: string } | undefined;
  idempotencyKey?: string | undefined;
}

/** The headers of a request apart from the key's. */
export function headersOf({ body, upload, idempotencyKey }: SampleRequest): [name: string, value: string][] {
  const type = upload?.type ?? (body ? "application/json" : null);
  return [
    ...(type === null ? [] : [["Content-Type", type] as [string, string]]),
    ...(idempotencyKey === undefined ? [] : [["Idempotency-Key", idempotencyKey] as [string, string]]),
  ];
}

/** Lines moved to the right by so many spaces, all but the first. */
export const indented = (text: string, by: number): string => text.replaceAll("\n", `\n${" ".repeat(by)}`);

/** A text as a string literal that JavaScript, Python, Go and Java read alike. */
export const quoted = (text: string): string => JSON.stringify(text);
