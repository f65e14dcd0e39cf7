import { KEY_VARIABLE, headersOf, indented, quoted } from "./sample.ts";
import type { Json, SampleRequest } from "./sample.ts";

// Samples in the languages that need no compiler: curl in a POSIX shell, Node 20, Python 3, PHP 8.2 with curl, Ruby 3.1.

/** How a language writes values of JSON. */
interface Notation {
  word: (value: true | false | null) => string;
  text: (text: string) => string;
  list: readonly [open: string, close: string];
  map: readonly [open: string, close: string];
  /** A name in a map, with what separates it from its value. */
  name: (name: string) => string;
}

function literal(notation: Notation, value: Json): string {
  if (typeof value === "string") return notation.text(value);
  if (typeof value === "number") return String(value);
  if (value === null || typeof value === "boolean") return notation.word(value);
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return notation.list[0] + items.map((item) => literal(notation, item)).join(", ") + notation.list[1];
  }
  const fields = Object.entries(value).map(([name, field]) => notation.name(name) + literal(notation, field));
  return `${notation.map[0]} ${fields.join(", ")} ${notation.map[1]}`;
}

/** The body as a literal with a field on each line; the content of a file is the expression `file`. */
function fieldsOf({ body = {}, file }: SampleRequest, notation: Notation, fileText: (name: string) => string): string {
  const lines = Object.entries(body).map(
    ([name, value]) =>
      `  ${notation.name(name)}${file?.field === name ? fileText(file.name) : literal(notation, value)},\n`,
  );
  return `${notation.map[0]}\n${lines.join("")}${notation.map[1]}`;
}

const singleQuoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
const shellWord = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The key's header as a word of the shell: double quotes let it read the variable. */
const shellAuth = ({ auth, key }: SampleRequest) =>
  auth === null ? [] : [`-H "${auth.name}: ${auth.before}${key ?? `$${KEY_VARIABLE}`}"`];

export function curl(request: SampleRequest): string {
  const { method, url, body, file, upload } = request;
  const headers = headersOf(request).map(([name, value]) => `-H '${name}: ${value}'`);
  // GET, and POST with a body, are what curl does by itself.
  const plain = method === "GET" || (method === "POST" && (body !== undefined || upload !== undefined));
  const data = body === undefined ? [] : [file ? "-d @-" : `-d ${shellWord(JSON.stringify(body))}`];
  if (upload) data.push(`--data-binary @${upload.name}`);
  const words = [
    `curl ${plain ? "" : `-X ${method} `}${/[?&]/u.test(url) ? shellWord(url) : url}`,
    ...shellAuth(request),
    ...headers,
    ...data,
  ].join(" \\\n  ");
  if (!file || body === undefined) return words;
  const { [file.field]: _content, ...rest } = body;
  const others = JSON.stringify(rest).slice(1, -1);
  return `printf '{${others},"${file.field}":"%s"}' "$(base64 < ${file.name} | tr -d '\\n')" |\n${words}`;
}

const JAVASCRIPT: Notation = {
  word: String,
  text: quoted,
  list: ["[", "]"],
  map: ["{", "}"],
  name: (name) => (/^\w+$/u.test(name) ? `${name}: ` : `${quoted(name)}: `),
};

export function node(request: SampleRequest): string {
  const { method, url, auth, key, body, file, upload } = request;
  const headers = [
    ...(auth ? [`${JAVASCRIPT.name(auth.name)}${auth.before ? `\`${auth.before}\${key}\`` : "key"}`] : []),
    ...headersOf(request).map(([name, value]) => JAVASCRIPT.name(name) + quoted(value)),
  ];
  const fields = fieldsOf(request, JAVASCRIPT, (name) => `readFileSync(${quoted(name)}, "base64")`);
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",\n`]),
    ...(headers.length > 0 ? [`  headers: {\n${headers.map((line) => `    ${line},\n`).join("")}  },\n`] : []),
    ...(body ? [`  body: JSON.stringify(${indented(fields, 2)}),\n`] : []),
    ...(upload ? [`  body: readFileSync(${quoted(upload.name)}),\n`] : []),
  ].join("");
  return [
    ...((file ?? upload) ? ['import { readFileSync } from "node:fs";\n'] : []),
    ...(auth ? [`const key = ${key === null ? `process.env.${KEY_VARIABLE}` : quoted(key)};`] : []),
    options === ""
      ? `const reply = await fetch(${quoted(url)});`
      : `const reply = await fetch(${quoted(url)}, {\n${options}});`,
    "console.log(await reply.text());",
  ].join("\n");
}

const PYTHON: Notation = {
  word: (value) => (value === null ? "None" : value ? "True" : "False"),
  text: quoted,
  list: ["[", "]"],
  map: ["{", "}"],
  name: (name) => `${quoted(name)}: `,
};

export function python(request: SampleRequest): string {
  const { method, url, auth, key, body, file, upload } = request;
  const imports = [
    ...(file ? ["base64"] : []),
    ...(body ? ["json"] : []),
    ...(auth && key === null ? ["os"] : []),
    "urllib.error",
    "urllib.request",
  ];
  const headers = [
    ...(auth ? [PYTHON.name(auth.name) + (auth.before ? `${quoted(auth.before)} + key` : "key")] : []),
    ...headersOf(request).map(([name, value]) => PYTHON.name(name) + quoted(value)),
  ];
  const fields = fieldsOf(request, PYTHON, (name) => `base64.b64encode(open(${quoted(name)}, "rb").read()).decode()`);
  return [
    `import ${imports.join(", ")}\n`,
    ...(auth ? [`key = ${key === null ? `os.environ["${KEY_VARIABLE}"]` : quoted(key)}`] : []),
    "request = urllib.request.Request(",
    `    ${quoted(url)},`,
    ...(method === "GET" ? [] : [`    method="${method}",`]),
    ...(headers.length > 0 ? [`    headers={\n${headers.map((line) => `        ${line},\n`).join("")}    },`] : []),
    ...(body ? [`    data=json.dumps(${indented(fields.replaceAll("\n  ", "\n    "), 4)}).encode(),`] : []),
    ...(upload ? [`    data=open(${quoted(upload.name)}, "rb").read(),`] : []),
    ")",
    "try:",
    "    reply = urllib.request.urlopen(request)",
    "except urllib.error.HTTPError as refused:",
    "    reply = refused  # its body says why",
    "print(reply.read().decode())",
  ].join("\n");
}

const PHP: Notation = {
  word: String,
  text: singleQuoted,
  list: ["[", "]"],
  map: ["[", "]"],
  name: (name) => `${singleQuoted(name)} => `,
};

export function php(request: SampleRequest): string {
  const { method, url, auth, key, body, upload } = request;
  const headers = [
    ...(auth ? [`"${auth.name}: ${auth.before}$key"`] : []),
    ...headersOf(request).map(([name, value]) => singleQuoted(`${name}: ${value}`)),
  ];
  const fields = fieldsOf(request, PHP, (name) => `base64_encode(file_get_contents(${singleQuoted(name)}))`);
  return [
    "<?php",
    ...(auth ? [`$key = ${key === null ? `getenv('${KEY_VARIABLE}')` : singleQuoted(key)};`] : []),
    `$request = curl_init(${singleQuoted(url)});`,
    "curl_setopt_array($request, [",
    "  CURLOPT_RETURNTRANSFER => true,",
    ...(method === "GET" ? [] : [`  CURLOPT_CUSTOMREQUEST => '${method}',`]),
    ...(headers.length > 0
      ? [`  CURLOPT_HTTPHEADER => [\n${headers.map((line) => `    ${line},\n`).join("")}  ],`]
      : []),
    ...(body ? [`  CURLOPT_POSTFIELDS => json_encode(${indented(fields, 2)}),`] : []),
    ...(upload ? [`  CURLOPT_POSTFIELDS => file_get_contents(${singleQuoted(upload.name)}),`] : []),
    "]);",
    "$reply = curl_exec($request);",
    "echo $reply === false ? curl_error($request) : $reply;",
  ].join("\n");
}

const RUBY: Notation = {
  word: (value) => (value === null ? "nil" : String(value)),
  text: (text) => quoted(text).replaceAll("#", String.raw`\#`),
  list: ["[", "]"],
  map: ["{", "}"],
  name: (name) => `${name}: `,
};

/** The class of Net::HTTP for a method: `Post`. */
const rubyClass = (method: string) => method.charAt(0) + method.slice(1).toLowerCase();

export function ruby(request: SampleRequest): string {
  const { method, url, auth, key, body } = request;
  const fields = fieldsOf(request, RUBY, (name) => `[File.binread(${quoted(name)})].pack("m0")`);
  const isHttps = url.startsWith("https:");
  return [
    'require "json"',
    'require "net/http"\n',
    ...(auth ? [`key = ${key === null ? `ENV.fetch("${KEY_VARIABLE}")` : quoted(key)}`] : []),
    `uri = URI(${quoted(url)})`,
    `request = Net::HTTP::${rubyClass(method)}.new(uri)`,
    ...(auth ? [`request["${auth.name}"] = "${auth.before}#{key}"`] : []),
    ...headersOf(request).map(([name, value]) => `request["${name}"] = ${quoted(value)}`),
    ...(body ? [`request.body = ${fields}.to_json`] : []),
    `reply = Net::HTTP.start(uri.host, uri.port${isHttps ? ", use_ssl: true" : ""}) { |http| http.request(request) }`,
    "puts reply.body",
  ].join("\n");
}
