// What consumers of events have stored, and the feeds as they are at the end.

type Line = Record<string, unknown> & { t: string; at: number };

/** An event in the form of the feed. */
export interface FeedEvent {
  seq: number;
  id: string;
  type: string;
  at: string;
  data: Record<string, unknown>;
}

/** A feed as the service's books have it. */
export interface FeedRow {
  account: string;
  events: FeedEvent[];
}

/** A delivery to a webhook: its first number is that of its id. */
export interface Post {
  webhookId: string;
  seqs: number[];
  answer: string;
  /** What is wrong with its signature. */
  fault: string | null;
}

/** A consumer of an account's events. */
export interface Consumer {
  account: string;
  /** `api`, `socket`, or the webhook's id. */
  by: string;
  /** What it stored, in the order in which it did; a webhook stores what is repeated again. */
  events: FeedEvent[];
  /** How often it began again. */
  lives: number;
  /** Answers that it should never have had. */
  refused: string[];
}

export interface Hook extends Consumer {
  types: string[];
  batch: boolean;
  posts: Post[];
}

export interface Consumed {
  /** By account. */
  feeds: Map<string, FeedEvent[]>;
  followers: Consumer[];
  hooks: Hook[];
  /** Addresses to which something was posted that no webhook has. */
  astray: string[];
  /** How often the receiver of webhooks was killed. */
  kills: number;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Reads the consumers' log. */
export function readConsumed(lines: Line[], feeds: FeedRow[]): Consumed {
  const hooks = new Map<string, Hook>();
  const followers = new Map<string, Consumer>();
  const astray: string[] = [];
  let kills = 0;
  for (const line of lines) {
    const [account, by] = [text(line["account"]), text(line["by"])];
    const hook = hooks.get(text(line["hook"]) || by);
    const follower = followers.get(`${account} ${by}`);
    switch (line.t) {
      case "hook": {
        const id = text(line["hook"]);
        const { types, batch } = line as unknown as Hook;
        hooks.set(id, { account, by: id, events: [], lives: 0, refused: [], types, batch, posts: [] });
        break;
      }
      case "life":
        if (follower) follower.lives += 1;
        else followers.set(`${account} ${by}`, { account, by, events: [], lives: 1, refused: [] });
        break;
      case "got":
        (hook ?? follower)?.events.push(...(line["events"] as FeedEvent[]));
        break;
      case "refused":
        follower?.refused.push(`${Number(line["status"])} after ${Number(line["after"])}: ${text(line["text"])}`);
        break;
      case "post":
        hook?.posts.push(line as unknown as Post);
        break;
      case "astray":
        astray.push(text(line["url"]));
        break;
      case "killed":
        kills += 1;
    }
  }
  return {
    feeds: new Map(feeds.map(({ account, events }) => [account, events])),
    followers: [...followers.values()],
    hooks: [...hooks.values()],
    astray,
    kills,
  };
}
