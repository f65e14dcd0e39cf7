import type { InboxFilter } from "./types.ts";

/** What a page subscribes to, and the last place that it has already; null when it wants no earlier messages. */
export interface Listener {
  filter: InboxFilter;
  after: number | null;
}

/** The URL with which the object is asked to open a socket. */
export function listenAddress({ filter: { account, q }, after }: Listener): string {
  const url = new URL("https://inbox/");
  if (account !== null) url.searchParams.set("account", account);
  if (q !== undefined) url.searchParams.set("q", q);
  if (after !== null) url.searchParams.set("after", String(after));
  return url.href;
}

/** The inverse of `listenAddress`. */
export function readListener({ searchParams }: URL): Listener {
  const after = searchParams.get("after");
  return {
    filter: { account: searchParams.get("account"), q: searchParams.get("q") ?? undefined },
    after: after === null ? null : Number(after),
  };
}
