import { timeOfRequest } from "../crypto/ids.ts";
import type { NearRequest, RequestPage, TakenBack } from "../model/message-detail.ts";
import type { MessagePlace } from "../model/ref.ts";
import type { AccountObject } from "../objects.ts";
import { pageBeyond } from "./list.ts";
import type { Source } from "./list.ts";

type RequestSource = Source & { stub: Pick<AccountObject, "requestPage"> };
type CancelSource = Source & { stub: Pick<AccountObject, "takeBack"> };

/** Where the account finds a request: an id from before ids had times is searched for, as `request:` does. */
async function nearOf(source: Source, requestId: string): Promise<NearRequest | null> {
  const atMs = timeOfRequest(requestId, Date.now());
  if (atMs !== "unknown") return atMs === null ? null : { atMs };
  const { rows } = await pageBeyond(source, [{ on: "request", id: requestId, not: false }], null, 1);
  return rows[0] ? { seq: rows[0].seq } : null;
}

/** A request of the account with its messages after a place; null where the account has no such request. */
export async function findRequest(
  source: RequestSource,
  requestId: string,
  after: MessagePlace | null,
  limit: number,
): Promise<RequestPage | null> {
  const near = await nearOf(source, requestId);
  return near && source.stub.requestPage(requestId, near, after, limit);
}

/** Takes a request back, as far as it waits (contract §13); null where the account has no such request. */
export async function cancelRequest(source: CancelSource, requestId: string): Promise<TakenBack | "too_late" | null> {
  const near = await nearOf(source, requestId);
  return near && source.stub.takeBack({ requestId, near });
}
