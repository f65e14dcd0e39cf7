import type { InboxFilter } from "./types.ts";

/** What a page wants to hear, and the place up to which it has everything; null when it wants nothing from before. */
export interface Listener {
  filter: InboxFilter;
  after: number | null;
}

/** The address under which the object opens a socket. */
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
