import { ODD_JSON, ODD_TEXTS, entriesOf, objectText } from "./wire-bodies.ts";
import type { Endpoint } from "./wire-endpoints.ts";
import { shortWait } from "./wire-heads.ts";
import type { Plan } from "./wire-requests.ts";

// Each field, parameter and id of an endpoint with each odd value, in otherwise valid requests: combinations that
// random fuzzing would reach only after a long time.

interface Request {
  target: string;
  body: string;
}

/** The entries with one of them replaced. */
function replaced(entries: [string, string][], name: string, value: string): [string, string][] {
  return entries.map(([other, own]) => [other, other === name ? value : own]);
}

/** The path with an id in place of each `:name`. */
export function pathWith(path: string, idFor: (name: string) => string): string {
  const fill = (segment: string) => {
    const name = /^:(\w+)/u.exec(segment)?.[1];
    return name === undefined ? segment : encodeURIComponent(idFor(name)) || "x";
  };
  return path.split("/").map(fill).join("/");
}

function searchOf(entries: [string, string][]): string {
  return entries.length > 0 ? `?${new URLSearchParams(entries).toString()}` : "";
}

/** All such requests; `idFor` returns a value for each `:name` in the path. */
function requestsOf({ path, query = {}, json, form }: Endpoint, idFor: (name: string) => string): Request[] {
  const asked = Object.entries(query);
  const own = pathWith(path, idFor);
  const plain = own + searchOf(asked);
  const typed = form ? new URLSearchParams(form).toString() : "";
  const body = json ? objectText(entriesOf(json)) : typed;
  const ids = [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
  return [
    ...ids.flatMap((name) =>
      ODD_TEXTS.map((text) => {
        const odd = pathWith(path, (other) => (other === name ? text.slice(0, 500) : idFor(other)));
        return { target: odd + searchOf(asked), body };
      }),
    ),
    ...asked.flatMap(([name]) =>
      ODD_TEXTS.map((text) => {
        const value = name === "timeout" ? shortWait(text) : text;
        return { target: own + searchOf(replaced(asked, name, value)), body };
      }),
    ),
    ...entriesOf(json ?? {}).flatMap(([name]) =>
      ODD_JSON.map((value) => ({ target: plain, body: objectText(replaced(entriesOf(json ?? {}), name, value)) })),
    ),
    ...Object.keys(form ?? {}).flatMap((name) =>
      ODD_TEXTS.map((text) => ({ target: plain, body: new URLSearchParams({ ...form, [name]: text }).toString() })),
    ),
  ];
}

/** The plans of all such requests to an endpoint. */
export function sweepOf(endpoint: Endpoint, idFor: (name: string) => string): Plan[] {
  return requestsOf(endpoint, idFor).map(({ target, body }) => ({
    target,
    body: { bytes: Buffer.from(body), type: null },
    fields: [],
    fault: null,
    sending: { how: "whole", pieces: 1, pauseMs: 0 },
    sender: "known",
    accept: endpoint.isApi ? "application/json" : "text/html",
  }));
}
