import { keysOfAccount } from "../../accounts/keys.ts";
import { oldestActs } from "../../audit/trail.ts";
import type { Config } from "../../config/settings.ts";
import { showKeyId } from "../../crypto/api-key.ts";
import { objectName } from "../../crypto/ids.ts";
import { historyDatabase } from "../../db/history-databases.ts";
import { invoicesOf } from "../../db/leaving.ts";
import { personBy, sessionsOf } from "../../db/people.ts";
import { refusedBefore } from "../../db/requests/refused.ts";
import type { AccountView, LedgerView } from "../../model/account.ts";
import { readPlace } from "../../model/audit.ts";
import type { ExportedJob } from "../../model/export.ts";
import type { RecordingView } from "../../model/message.ts";
import type { AccountRef, Mode } from "../../model/ref.ts";
import type { RefusedPlace, RefusedRequest } from "../../model/requests/refused.ts";
import type { Endpoint } from "../../model/webhook.ts";
import { coins } from "../../money/money.ts";
import { objectOf } from "../../objects.ts";
import { invoiceNumber } from "../../payments/invoices.ts";
import { listOrders } from "../../payments/orders.ts";
import { bucketsOf } from "../folders.ts";
import { linesOf } from "./messages.ts";
import type { TarFile } from "./tar.ts";
import { README } from "./readme.ts";

// The files of an account's export, each made when its turn comes: pages of bounded size, and bytes that pass through.

/** Rows, or messages, of one page: each page is one file, and one call of the account. */
const PER_FILE = 1_000;

/**
 * Messages of one archive. An account that has more names, in its manifest, where the next archive begins: one request
 * then makes at most some thousand calls, far below the 10,000 of the platform.
 */
export const MESSAGES_PER_EXPORT = 500_000;

/** Where a further archive begins: after this job of the account in this mode. */
export interface ExportPlace {
  mode: Mode;
  seq: number;
}

/** What is exported, and from where on; a further archive has messages only. */
export interface ExportAsked {
  accountId: string;
  after: ExportPlace | null;
  nowMs: number;
}

export interface ExportContext extends ExportAsked {
  env: Env;
  config: Config;
}

const encoder = new TextEncoder();

const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

const textFile = (name: string, at: number, text: string): TarFile => ({ name, at, bytes: encoder.encode(text) });

const jsonFile = (name: string, at: number, value: unknown): TarFile =>
  textFile(name, at, `${JSON.stringify(value, null, 2)}\n`);

const numbered = (name: string, part: number) => `${name}-${String(part).padStart(6, "0")}.ndjson`;

const ndjson = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

async function* personFiles({ env, accountId, nowMs }: ExportContext): AsyncGenerator<TarFile> {
  const person = await personBy(env.DB, { accountId });
  if (!person) return;
  const { id, name, phone, email, buyer, createdAt, nextPhone } = person;
  yield jsonFile("person.json", nowMs, {
    id,
    name,
    phone,
    next_phone: nextPhone,
    email,
    has_password: person.password !== null,
    buyer,
    created_at: timeOf(createdAt),
  });
  const sessions = (await sessionsOf(env.DB, id, nowMs)).map(({ device, country, city, ...times }) => ({
    device,
    country,
    city,
    created_at: timeOf(times.createdAt),
    seen_at: timeOf(times.seenAt),
    expires_at: timeOf(times.expiresAt),
  }));
  yield jsonFile("sessions.json", nowMs, sessions);
}

async function* orderFiles({ env, accountId, nowMs }: ExportContext): AsyncGenerator<TarFile> {
  const invoices = new Map((await invoicesOf(env.DB, [accountId])).map((row) => [row.orderId, row]));
  const orders = (await listOrders(env, accountId)).map((order) => {
    const invoice = invoices.get(order.id);
    return {
      id: order.id,
      plan: order.plan,
      amount: order.amountPaise / 100,
      currency: order.currency,
      state: order.state,
      refunded: order.refundedPaise / 100,
      payment: order.paymentRef,
      buyer: order.buyer,
      created_at: timeOf(order.createdAt),
      invoice: invoice ? { number: invoiceNumber(invoice), issued_at: timeOf(invoice.issuedAt) } : null,
    };
  });
  yield jsonFile("orders.json", nowMs, orders);
}

async function* actFiles({ env, accountId, nowMs }: ExportContext): AsyncGenerator<TarFile> {
  let after: string | null = null;
  for (let part = 1; ; part += 1) {
    const { acts, next } = await oldestActs(env, { accountId }, after === null ? null : readPlace(after), PER_FILE);
    const rows = acts.map(({ id, at, actorKind, actor, action, subject, details }) => {
      return { id, at: timeOf(at), actor_kind: actorKind, actor, action, subject, details };
    });
    if (rows.length > 0) yield textFile(numbered("audit/acts", part), nowMs, ndjson(rows));
    if (next === null) return;
    after = next;
  }
}

async function* ledgerFiles({ env, nowMs }: ExportContext, ref: AccountRef): AsyncGenerator<TarFile> {
  for (let part = 1, after = 0; ; part += 1) {
    const entries: LedgerView[] = (await objectOf(env, ref).ledger(after, PER_FILE)) ?? [];
    const last = entries.at(-1);
    if (!last) return;
    const rows = entries.map(({ seq, type, amount, balanceAfter, requestId, reference, at }) => {
      const balance = coins(balanceAfter);
      return {
        seq,
        type,
        amount: coins(amount),
        balance_after: balance,
        request_id: requestId,
        reference,
        at: timeOf(at),
      };
    });
    yield textFile(numbered(`${ref.mode}/ledger`, part), nowMs, ndjson(rows));
    after = last.seq;
  }
}

async function* recordingFiles({ env, nowMs }: ExportContext, ref: AccountRef): AsyncGenerator<TarFile> {
  let after: { createdAt: number; fileId: string } | null = null;
  for (let part = 1; ; part += 1) {
    const found: RecordingView[] = (await objectOf(env, ref).recordings(after, PER_FILE)) ?? [];
    const last = found.at(-1);
    if (!last) return;
    const rows = found.map(({ fileId, name, mime, sizeBytes, durationMs, createdAt }) => {
      return { id: fileId, name, mime, bytes: sizeBytes, duration_ms: durationMs, created_at: timeOf(createdAt) };
    });
    yield textFile(numbered(`${ref.mode}/recordings/list`, part), nowMs, ndjson(rows));
    for (const { fileId, mime, objectKey, createdAt } of found) {
      const stored = await env.RECORDINGS.get(objectKey);
      // Deleted since it was listed.
      if (!stored) continue;
      const name = `${ref.mode}/recordings/${fileId}.${mime === "audio/mpeg" ? "mp3" : "wav"}`;
      yield { name, at: createdAt, size: stored.size, body: stored.body };
    }
    after = { createdAt: last.createdAt, fileId: last.fileId };
  }
}

/** Months that were archived, as they are stored; not the bytes of recordings, which have a bucket of their own. */
async function* archiveFiles({ env }: ExportContext, ref: AccountRef): AsyncGenerator<TarFile> {
  const folder = `${objectName(ref)}/`;
  for (const bucket of bucketsOf(env).slice(1)) {
    let cursor: string | undefined;
    for (;;) {
      const page: R2Objects = await bucket.list({
        prefix: folder,
        limit: PER_FILE,
        ...(cursor !== undefined && { cursor }),
      });
      for (const { key } of page.objects) {
        const stored = await bucket.get(key);
        if (!stored) continue;
        const name = `${ref.mode}/archive/${key.slice(folder.length)}`;
        yield { name, at: stored.uploaded.getTime(), size: stored.size, body: stored.body };
      }
      if (!page.truncated) break;
      ({ cursor } = page);
    }
  }
}

/** Requests that were refused in the last days. */
async function* refusedFiles({ env, nowMs }: ExportContext, ref: AccountRef, historyDb: number | undefined) {
  const database = historyDatabase(env, historyDb);
  for (let part = 1, before: RefusedPlace | null = null; ; part += 1) {
    const found: RefusedRequest[] = await refusedBefore(database, ref, before, { limit: PER_FILE, nowMs });
    const last = found.at(-1);
    if (!last) return;
    const rows = found.map(({ at, requestId, keyId, ...rest }) => ({
      request_id: requestId,
      at: timeOf(at),
      key_id: showKeyId(keyId),
      ...rest,
    }));
    yield textFile(numbered(`${ref.mode}/refusals`, part), nowMs, ndjson(rows));
    before = { at: last.at, requestId: last.requestId };
  }
}

/** What was exported of the messages so far. */
export interface Progress {
  messages: number;
  /** Where the next archive begins; null when this one is complete. */
  next: ExportPlace | null;
}

async function* messageFiles(context: ExportContext, ref: AccountRef, progress: Progress): AsyncGenerator<TarFile> {
  const { env, config, nowMs, after: from } = context;
  for (let seq = from?.mode === ref.mode ? from.seq : 0; ;) {
    if (progress.messages >= MESSAGES_PER_EXPORT) {
      progress.next = { mode: ref.mode, seq };
      return;
    }
    const jobs: ExportedJob[] = (await objectOf(env, ref).exportPage(seq, PER_FILE)) ?? [];
    const [first, last] = [jobs[0], jobs.at(-1)];
    if (!first || !last) return;
    // Named by the first job, so that files of two archives do not share a name.
    yield textFile(numbered(`${ref.mode}/messages`, first.seq), nowMs, linesOf(config, ref, jobs));
    progress.messages += jobs.reduce((sum, { messages }) => sum + messages.length, 0);
    seq = last.seq;
  }
}

async function* modeFiles(context: ExportContext, ref: AccountRef): AsyncGenerator<TarFile> {
  const { env, config, nowMs } = context;
  const view: AccountView | null = await objectOf(env, ref).view();
  if (!view) return;
  yield jsonFile(`${ref.mode}/account.json`, nowMs, {
    account_id: ref.accountId,
    mode: ref.mode,
    name: view.name,
    status: view.status,
    plan: view.plan,
    balance: coins(view.balance),
    owed: coins(view.owed),
    otp_rate: coins(view.otpRate),
    created_at: timeOf(view.createdAt),
  });
  const { keys } = await keysOfAccount(env, config.KEY_SECRET, ref, nowMs);
  const rows = keys.map(({ id, name, state, createdAt, lastUsedAt, expiresAt, revokedAt }) => ({
    id,
    name,
    state,
    created_at: timeOf(createdAt),
    last_used_at: timeOf(lastUsedAt),
    expires_at: timeOf(expiresAt),
    revoked_at: timeOf(revokedAt),
  }));
  yield jsonFile(`${ref.mode}/keys.json`, nowMs, rows);
  const endpoints: Endpoint[] = (await objectOf(env, ref).endpoints()) ?? [];
  if (endpoints.length > 0) {
    const webhooks = endpoints.map(({ id, url, types, batch, description, disabled, createdAt }) => ({
      webhook_id: id,
      url,
      types,
      batch,
      description,
      disabled,
      created_at: timeOf(createdAt),
    }));
    yield jsonFile(`${ref.mode}/webhooks.json`, nowMs, webhooks);
  }
  yield* ledgerFiles(context, ref);
  yield* recordingFiles(context, ref);
  yield* archiveFiles(context, ref);
  yield* refusedFiles(context, ref, view.historyDb);
}

/** The files of an export, in their order; the last is the manifest. */
export async function* exportFiles(context: ExportContext): AsyncGenerator<TarFile> {
  const { accountId, after, nowMs } = context;
  const progress: Progress = { messages: 0, next: null };
  const refs = (["live", "test"] as const).map((mode): AccountRef => ({ accountId, mode }));
  if (after === null) {
    yield textFile("README.txt", nowMs, README);
    yield* personFiles(context);
    yield* orderFiles(context);
    yield* actFiles(context);
    for (const ref of refs) yield* modeFiles(context, ref);
  }
  for (const ref of refs.slice(after?.mode === "test" ? 1 : 0)) {
    if (progress.next === null) yield* messageFiles(context, ref, progress);
  }
  const next = progress.next && `${progress.next.mode}.${progress.next.seq}`;
  yield jsonFile("manifest.json", nowMs, { account_id: accountId, made_at: timeOf(nowMs), ...progress, next });
}
