import { dastak } from "../../sdk/src/index.ts";
import type { Dastak, DastakOptions } from "../../sdk/src/index.ts";

// A client whose service is a script of answers.

/** A request as the client made it. */
export interface Asked {
  method: string;
  url: URL;
  headers: Headers;
  body: unknown;
}

type Answer = Response | Error | ((asked: Asked) => Response | Promise<Response>);

/** A reply of the service. */
export const reply = (body: object, headers: Record<string, string> = {}) =>
  Response.json({ success: true, ...body }, { headers: { "x-request-id": "req_1", ...headers } });

/** A refusal of the service. */
export const refusal = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  Response.json({ success: false, error: "No.", code, request_id: "req_1", ...more }, { status, headers });

/** A client, and what it asked of a service that gives these answers in turn and then fails. */
export function scripted(
  answers: Answer[],
  options: Partial<DastakOptions> = {},
): { client: Dastak; asked: Asked[]; waits: number[] } {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const client = dastak({
    apiKey: "dsk_test_1",
    baseUrl: "https://{base}.dastak.test",
    onRetry: ({ waitMs }) => waits.push(waitMs),
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const text = await request.text();
      const one = {
        method: request.method,
        url: new URL(url),
        headers: request.headers,
        body: text && JSON.parse(text),
      };
      asked.push(one);
      const answer = answers.shift();
      if (answer === undefined) throw new Error("The script has no more answers.");
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(one) : answer;
    },
    ...options,
  });
  return { client, asked, waits };
}
