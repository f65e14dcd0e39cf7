// npm run rotate -- NAME [--url URL]: says the next step of replacing KEY_SECRET or SEAL_SECRET, and checks the ones before.
// It asks the running service, changes nothing, and prints one secret only: the new one that it makes (docs/secrets.md).
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";

const NAMES = ["KEY_SECRET", "SEAL_SECRET"];
const USAGE =
  "Usage: OPERATOR_TOKEN=… npm run rotate -- KEY_SECRET|SEAL_SECRET --url https://console.example.com [--settle MINUTES]";
const ID_MAX = 127;
/** Accounts that are named as those with keys of an older secret. */
const NAMED_MAX = 20;

const say = (...lines) => console.log(lines.join("\n"));

/** Ends the program: 0 when a step can be taken or nothing is left, 1 when something is wrong, 3 when it is to wait. */
const end = (code, ...lines) => {
  say(...lines);
  process.exit(code);
};

function asked() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { url: { type: "string" }, settle: { type: "string", default: "10" } },
    });
    const [name] = positionals;
    const settleMs = Number(values.settle) * 60_000;
    const token = process.env.OPERATOR_TOKEN;
    if (!NAMES.includes(name) || positionals.length > 1 || !URL.canParse(values.url) || !token || !(settleMs >= 0)) {
      return end(2, USAGE);
    }
    return { name, settleMs, url: values.url.replace(/\/+$/u, ""), token };
  } catch (problem) {
    return end(2, `${problem.message.split(". ")[0]}. ${USAGE}`);
  }
}

const { name, settleMs, url, token } = asked();

async function operator(path) {
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}/operator${path}`, { headers, redirect: "error" }).catch((problem) =>
    end(1, `${url} cannot be reached: ${problem.cause?.message ?? problem.message}.`),
  );
  const body = await reply.json().catch(() => ({}));
  if (reply.status === 200) return body;
  return end(1, `${url}/operator${path.split("?")[0]} answered ${reply.status}: ${body.error ?? "no reason"}`);
}

const isLocal = /^https?:\/\/(?:[^/]*\.)?(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/|$)/u.test(url);

/** How the setting is put in place: with what value, of which only the new secret is known here. */
const put = (value) =>
  isLocal
    ? [`  start the service with ${name}=${value}`]
    : [
        `  npx wrangler secret put ${name} --env production`,
        `  and paste as its value: ${value}`,
        "  That deploys it; all instances have it after some minutes.",
      ];

const again = "Then run this again.";
const at = (time) => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** The accounts with usable keys that the present secret did not make, and how many keys these are. */
async function olderKeys(making) {
  /** @type {{ keys: number, webhooks: number, accounts: string[] }} */
  const found = { keys: 0, webhooks: 0, accounts: [] };
  for (let after = ""; ;) {
    const page = await operator(`/secrets/keys?limit=100&after=${encodeURIComponent(after)}`);
    for (const { account_id: account, secrets } of page.data) {
      const older = secrets.filter(({ secret_id: id }) => id !== making);
      if (older.length === 0) continue;
      found.keys += older.reduce((sum, { keys }) => sum + keys, 0);
      found.webhooks += older.reduce((sum, { webhooks = 0 }) => sum + webhooks, 0);
      found.accounts.push(account);
    }
    if (!page.has_more) return found;
    after = page.next;
  }
}

/** Step 1: there is one secret. */
function list(making) {
  const id = making + 1;
  if (id > ID_MAX) end(1, `The ids are used up at ${ID_MAX}.`);
  const fresh = randomBytes(32).toString("hex");
  end(
    0,
    `Step 1 of 3: list a new secret, which does not make anything yet.`,
    `  The new secret, which is shown this once: ${fresh}`,
    `  Keep it where you keep the present one.`,
    ...put(`${making}:<the present secret>,${id}:${fresh}`),
    `Every instance must know the new secret before one makes anything with it. ${again}`,
  );
}

/** Step 2: a newer secret is listed, and does not make yet. */
function switchTo(entry, listed) {
  const since = Date.parse(entry.listed_since);
  const readyAt = since + settleMs;
  if (Date.now() < readyAt) {
    end(
      3,
      `✓ The secret with the id ${entry.id} is listed, since ${at(entry.listed_since)}.`,
      `Wait until ${at(new Date(readyAt).toISOString())}, so that every instance knows it. ${again}`,
    );
  }
  const others = listed.filter(({ id }) => id !== entry.id).map(({ id }) => `${id}:<the secret with the id ${id}>`);
  end(
    0,
    `✓ The secret with the id ${entry.id} is listed, since ${at(entry.listed_since)}.`,
    `Step 2 of 3: put it first, so that it makes.`,
    ...put([`${entry.id}:<the secret with the id ${entry.id}>`, ...others].join(",")),
    again,
  );
}

/** Step 3: the newest makes, and older ones are still listed. */
async function takeAway({ making, listed, needed_until: neededUntil }) {
  const older = listed.filter(({ id }) => id !== making).map(({ id }) => id);
  const present = listed.find(({ id }) => id === making);
  say(`✓ The secret with the id ${making} makes, since ${at(present.makes_since)}.`);
  const waits = [];
  if (Date.now() < Date.parse(neededUntil)) {
    waits.push(`Wait until ${at(neededUntil)}: what was made before may still come back until then.`);
  }
  if (name === "KEY_SECRET") {
    const { keys, webhooks, accounts } = await olderKeys(making);
    if (webhooks > 0) {
      waits.push(
        `${webhooks} webhooks sign with an older secret; they are disabled with it, until their owners rotate and enable them.`,
      );
    }
    if (keys + webhooks > 0) {
      waits.push(
        `${keys} usable keys of ${accounts.length} accounts were made with an older secret; they stop with it:`,
        ...accounts.slice(0, NAMED_MAX).map((account) => `  ${account}`),
        ...(accounts.length > NAMED_MAX ? [`  and ${accounts.length - NAMED_MAX} more`] : []),
        "Ask these customers to rotate them, or end them: POST /operator/accounts/:id/keys/expire.",
      );
    } else say("✓ No usable key was made with an older secret.");
  }
  if (waits.length > 0) end(3, ...waits, again);
  end(
    0,
    `Step 3 of 3: take the ${older.length === 1 ? "older secret" : "older secrets"} (${older.join(", ")}) away.`,
    ...put(`${making}:<the secret with the id ${making}>`),
    `Never use these ids again. ${again}`,
  );
}

const { secrets } = await operator("/secrets");
const found = secrets.find((one) => one.name === name);
for (const { id } of found.listed.filter(({ changed }) => changed)) {
  end(
    1,
    `✗ The secret with the id ${id} is another one than before: what the other one made is void.`,
    `Put ${name} again with the secret that had this id.`,
  );
}
const newest = found.listed.reduce((one, other) => (other.id > one.id ? other : one));
if (found.listed.length === 1) {
  const [only] = found.listed;
  if (only.id > 1) say(`✓ Only the secret with the id ${only.id} is listed. To replace it as well:`);
  list(found.making);
}
if (newest.id !== found.making) switchTo(newest, found.listed);
await takeAway(found);
