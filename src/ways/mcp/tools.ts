import type { JsonSchema } from "../../openapi/schemas.ts";
import type { Method, OpenApi, OperationObject, Parameter } from "../../openapi/types.ts";

// Tools: operations of the API's document under names that models know. Fields and descriptions are the document's; only
// what is different here is said here.

interface ToolOf {
  /** The operation's id in the document. */
  operation: string;
  /** What it would do in words of a preflight, for a tool that spends. */
  preflight?: "sms" | "bulk" | "sms_international" | "otp" | "tts" | "voice";
}

const TABLE: Readonly<Record<string, ToolOf>> = {
  send_sms: { operation: "sendSms", preflight: "sms" },
  send_bulk_sms: { operation: "sendBulkSms", preflight: "bulk" },
  send_international_sms: { operation: "sendInternationalSms", preflight: "sms_international" },
  send_otp: { operation: "sendOtp", preflight: "otp" },
  tts_call: { operation: "ttsCall", preflight: "tts" },
  make_voice_call: { operation: "makeVoiceCall", preflight: "voice" },
  preflight: { operation: "preflight" },
  check_balance: { operation: "accountBalance" },
  get_account: { operation: "getAccount" },
  list_messages: { operation: "listMessages" },
  get_message: { operation: "getMessage" },
  cancel_message: { operation: "cancelMessage" },
  get_request: { operation: "getRequest" },
  cancel_request: { operation: "cancelRequest" },
  list_refusals: { operation: "listRefusals" },
  list_recordings: { operation: "listRecordings" },
  list_webhooks: { operation: "listWebhooks" },
  list_webhook_attempts: { operation: "listWebhookAttempts" },
  list_test_inbox: { operation: "listTestInbox" },
  wait_for_otp: { operation: "waitInTestInbox" },
};

/** Rows of a list where the model asks for no number of them: it reads every one. */
const ROWS = 20;

/** The arguments of tools that spend or cancel, beside those of their operations. */
const GUARD: Readonly<Record<string, JsonSchema>> = {
  confirm: {
    type: "string",
    description:
      "With a live key: the `confirm` of the call before with the same arguments. Repeated with it, it is done once.",
  },
  again: {
    type: "integer",
    minimum: 1,
    description: "With a live key, to do the same once more within 20 minutes: 1, then 2, and so on; in both calls.",
  },
};

type Arguments = Readonly<Record<string, unknown>>;

export interface Tool extends ToolOf {
  name: string;
  method: Method;
  path: string;
  /** Its parameters in path and address. */
  parameters: readonly Parameter[];
  /** Whether a live key does it only on the second call. */
  guarded: boolean;
  /** As clients are told of it. */
  shown: { name: string; inputSchema: JsonSchema & { properties: Record<string, JsonSchema> } } & Record<
    string,
    unknown
  >;
}

function inputOf(operation: OperationObject, parameters: readonly Parameter[], guarded: boolean) {
  const body = operation.requestBody?.content["application/json"]?.schema ?? {};
  // The key is the request's own.
  const { apiKey: _, ...fields } = (body["properties"] ?? {}) as Record<string, JsonSchema>;
  const inAddress = parameters.map(({ name, description, schema }): [string, JsonSchema] => [
    name,
    { ...schema, ...(description !== undefined && { description }), ...(name === "limit" && { default: ROWS }) },
  ]);
  const required = [
    ...parameters.filter((one) => one.required).map(({ name }) => name),
    ...((body["required"] ?? []) as string[]),
  ];
  return {
    type: "object",
    properties: { ...Object.fromEntries(inAddress), ...fields, ...(guarded && GUARD) },
    ...(required.length > 0 && { required }),
    // Fields of the operation that is checked stand beside its name.
    ...("additionalProperties" in body && { additionalProperties: body["additionalProperties"] }),
  };
}

const isParameter = (one: object): one is Parameter => "in" in one && one.in !== "header";

function toolOf(name: string, of: ToolOf, [path, method, operation]: [string, Method, OperationObject]): Tool {
  const cancels = method === "delete";
  const guarded = cancels || of.preflight !== undefined;
  const parameters = (operation.parameters ?? []).filter(isParameter);
  const annotations = guarded
    ? { readOnlyHint: false, destructiveHint: true, idempotentHint: cancels, openWorldHint: true }
    : { readOnlyHint: true, openWorldHint: false };
  const { summary: title, description } = operation;
  const shown = {
    name,
    title,
    description: description === undefined ? `${title}.` : `${title}. ${description}`,
    inputSchema: inputOf(operation, parameters, guarded),
    annotations,
  };
  return { ...of, name, method, path, parameters, guarded, shown };
}

/** The methods of tools. */
const METHODS: readonly Method[] = ["get", "post", "delete"];

const made = new WeakMap<OpenApi, ReadonlyMap<string, Tool>>();

/** Every tool by its name, made from the document once. Throws for an operation that the document lacks. */
export function toolsOf(document: OpenApi): ReadonlyMap<string, Tool> {
  const known = made.get(document);
  if (known) return known;
  const operations = new Map<string, [string, Method, OperationObject]>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation) operations.set(operation.operationId, [path, method, operation]);
    }
  }
  const tools = Object.entries(TABLE).map(([name, of]): [string, Tool] => {
    const found = operations.get(of.operation);
    if (!found) throw new Error(`the tool ${name} is for ${of.operation}, which the document lacks`);
    return [name, toolOf(name, of, found)];
  });
  const all = new Map(tools);
  made.set(document, all);
  return all;
}

/** The request that a call stands for, or what is wrong with its arguments. */
export type Planned =
  | { ok: true; path: string; fields: Record<string, unknown> }
  | { ok: false; error: string; param: string; hint?: string };

/** A value in an address; null for one that cannot be there. An empty part, or one of dots, would be another path. */
function inAddress(value: unknown, { in: place }: Parameter): string | null {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  const text = String(value).toWellFormed();
  return place === "path" && /^\.{0,2}$/u.test(text) ? null : text;
}

/** What the tool that sends an SMS to one number says of a list of them; null where none was given. */
function refusedList({ name, preflight, shown }: Tool, given: Arguments): Extract<Planned, { ok: false }> | null {
  if (preflight !== "sms") return null;
  const { phone } = given;
  const isList = Array.isArray(phone) || (typeof phone === "string" && /[,;\n]/u.test(phone.trim()));
  const isStray = (one: string) => Array.isArray(given[one]) && !Object.hasOwn(shown.inputSchema.properties, one);
  const param = isList ? "phone" : Object.keys(given).find(isStray);
  if (param === undefined) return null;
  const field = param.slice(0, 100).toWellFormed();
  return { ok: false, error: `${field} is a list, and ${name} takes one phone; send_bulk_sms takes a list.`, param };
}

/** The request of a call. Unlike the API it refuses names that it does not know: a model's slip must not change a send. */
export function planOf(tool: Tool, given: Arguments): Planned {
  const { path, parameters, shown, guarded } = tool;
  const list = refusedList(tool, given);
  if (list) return list;
  const { properties } = shown.inputSchema;
  const stray = Object.keys(given).find((name) => !Object.hasOwn(properties, name));
  if (stray !== undefined && !("additionalProperties" in shown.inputSchema)) {
    const hint = `There are: ${Object.keys(properties).join(", ") || "none"}.`;
    return { ok: false, error: `There is no argument ${stray.slice(0, 100).toWellFormed()}.`, param: stray, hint };
  }
  const { again } = given;
  if (guarded && again !== undefined && !(Number.isSafeInteger(again) && Number(again) > 0)) {
    return { ok: false, error: "again must be a whole number from 1.", param: "again" };
  }
  const query = new URLSearchParams();
  let at = path;
  for (const parameter of parameters) {
    const { name, in: place } = parameter;
    const value = given[name] ?? (name === "limit" ? ROWS : undefined);
    if (value === undefined && place === "query") continue;
    const text = inAddress(value, parameter);
    if (text === null) return { ok: false, error: `${name} must be a text or a number.`, param: name };
    if (place === "query") query.set(name, text);
    else at = at.replace(`{${name}}`, () => encodeURIComponent(text));
  }
  const elsewhere = new Set([...parameters.map(({ name }) => name), ...(guarded ? Object.keys(GUARD) : [])]);
  const fields = Object.fromEntries(Object.entries(given).filter(([name]) => !elsewhere.has(name)));
  return { ok: true, path: query.size > 0 ? `${at}?${query.toString()}` : at, fields };
}
