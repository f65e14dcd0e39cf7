import type { Schema, Step } from "../tables.ts";

// The account object's storage. Append-only: a shipped migration is never edited; a change is a new migration.

/**
 * Each runs once per object, in order. SQL alone must be additive: the release before reads and writes on as it did, so a
 * new column has a default that is right for the rows that it inserts. Other steps say the oldest code that can live with
 * them (CONTRIBUTING.md, "Storage changes").
 */
export const MIGRATIONS: readonly Step[] = [
  `
  CREATE TABLE account (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
    plan TEXT NOT NULL,
    otp_rate INTEGER CHECK (otp_rate >= 0),
    created_at INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    -- Times of admitted requests up to job admitted_seq; after it, each request counts by its first job's time.
    admitted TEXT NOT NULL DEFAULT '[]',
    admitted_seq INTEGER NOT NULL DEFAULT 0,
    -- Every job up to this one is final and stands in history.
    settled_seq INTEGER NOT NULL DEFAULT 0,
    pruned_at INTEGER NOT NULL DEFAULT 0
  );

  CREATE TABLE key (
    key_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    expires_at INTEGER,
    revoked_at INTEGER,
    replaced_by INTEGER
  );

  -- Up to 100 messages of one request, in one row: they are claimed, submitted and billed together.
  -- The first job of a request is also its debit in the ledger; seq is shared with ledger_entry.
  CREATE TABLE job (
    seq INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    debit INTEGER CHECK (debit >= 0),
    balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
    charge INTEGER NOT NULL CHECK (charge >= 0),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    content TEXT NOT NULL,
    text BLOB,
    carrier TEXT,
    messages TEXT NOT NULL,
    due_at INTEGER,
    rev INTEGER NOT NULL,
    late INTEGER
  );
  CREATE INDEX job_late ON job (late, due_at) WHERE late IS NOT NULL;

  -- Every ledger entry that is not a debit.
  CREATE TABLE ledger_entry (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL CHECK (type IN ('refund', 'credit', 'adjustment')),
    amount INTEGER NOT NULL,
    balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
    reference TEXT NOT NULL UNIQUE,
    request_id TEXT,
    note TEXT,
    job_seq INTEGER,
    job_index INTEGER,
    created_at INTEGER NOT NULL
  );

  CREATE TABLE idempotency (
    key BLOB PRIMARY KEY,
    fingerprint BLOB NOT NULL,
    template BLOB NOT NULL,
    spent INTEGER NOT NULL,
    balance INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    -- NULL when done; until then, when the running request is taken for dead.
    running_until INTEGER,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE recording (
    file_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    object_key TEXT NOT NULL,
    mime TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  `,
  `ALTER TABLE job ADD COLUMN key_id INTEGER;`,
  `
  -- SHA-256 of the bytes, in hex: recordings with the same content share one object_key.
  ALTER TABLE recording ADD COLUMN content TEXT;
  UPDATE recording SET content = substr(object_key, instr(object_key, '/') + 1);
  ALTER TABLE recording ADD COLUMN state TEXT NOT NULL DEFAULT 'stored'
    CHECK (state IN ('uploading', 'stored', 'removed'));
  -- When the alarm looks at it: the end of an upload's time, or the next try to delete the bytes. NULL when stored.
  ALTER TABLE recording ADD COLUMN due_at INTEGER;
  CREATE INDEX recording_due ON recording (due_at) WHERE due_at IS NOT NULL;
  `,
  `
  -- In which lane a job's messages wait, and when the next of them can be claimed (NULL: none waits).
  ALTER TABLE job ADD COLUMN lane TEXT NOT NULL DEFAULT 'single' CHECK (lane IN ('otp', 'single', 'bulk'));
  ALTER TABLE job ADD COLUMN ready_at INTEGER;
  -- What happened to the messages, apart from their numbers (message/codec.ts). NULL: nothing, or an older row.
  ALTER TABLE job ADD COLUMN lives TEXT;
  -- From now on due_at is when a deadline of the job passes. It may be too early, never too late, and is NULL while the
  -- housekeeping pass is early enough to look. Rows from before have it wherever they are open.
  CREATE INDEX job_due ON job (due_at) WHERE due_at IS NOT NULL;
  UPDATE job SET
    lane = CASE
      WHEN json_array_length(messages) > 1 OR debit IS NULL OR debit > charge THEN 'bulk'
      WHEN operation = 'otp' THEN 'otp' ELSE 'single' END,
    ready_at = (SELECT min(coalesce(value ->> 'dueMs', created_at)) FROM json_each(messages)
      WHERE value ->> 'state' = 'queued')
    WHERE due_at IS NOT NULL;
  CREATE INDEX job_ready ON job (lane, ready_at) WHERE ready_at IS NOT NULL;
  -- Receipts of bulks that are not in their jobs' rows yet, some batches in each row (receipts/journal.ts).
  CREATE TABLE receipt_journal (
    segment INTEGER PRIMARY KEY,
    lines TEXT NOT NULL
  );
  `,
  `
  -- History in D1 has a new form: every job is named to it again, in passes, and is read from here until it is recorded.
  UPDATE account SET settled_seq = 0;
  UPDATE job SET late = NULL WHERE late IS NOT NULL;
  -- The revision of the profile that history has; and how far a pass has looked, where that is far beyond settled_seq.
  ALTER TABLE account ADD COLUMN recorded_rev INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN looked_seq INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Databases: the number of the database that holds the account's history. What an older version recorded elsewhere is
  -- recorded again there.
  ALTER TABLE account ADD COLUMN history_db INTEGER NOT NULL DEFAULT 1;
  UPDATE account SET settled_seq = 0, looked_seq = 0;
  UPDATE job SET late = NULL WHERE late IS NOT NULL;

  -- Retention and archive: everything up to this number left the account; the balance after it. What stays below it are
  -- the entries of ledger_entry that are no refunds of messages, so that their references stay known.
  ALTER TABLE account ADD COLUMN checkpoint_seq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN checkpoint_balance INTEGER NOT NULL DEFAULT 0;

  -- Secrets: the id of the KEY_SECRET that a key was made with, and that makes the public ids of a job's messages.
  ALTER TABLE key ADD COLUMN secret_id INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE job ADD COLUMN secret_id INTEGER NOT NULL DEFAULT 1;

  -- Reconciliation: where the next recount begins, which is the place up to which the last one found all of it right.
  ALTER TABLE account ADD COLUMN verified TEXT;
  -- When the last row that left was written, and the last job among them; NULL: none did.
  ALTER TABLE account ADD COLUMN checkpoint_at INTEGER;
  ALTER TABLE account ADD COLUMN checkpoint_job_at INTEGER;
  -- The revisions, added up, of the single messages that left out of the bucket of history in which the checkpoint is.
  ALTER TABLE account ADD COLUMN checkpoint_revs INTEGER NOT NULL DEFAULT 0;
  -- History has nothing up to this number any more.
  ALTER TABLE account ADD COLUMN cleared_seq INTEGER NOT NULL DEFAULT 0;
  -- When the alarm archives next (NULL: nothing waits), when it last did, and how it failed since then.
  ALTER TABLE account ADD COLUMN archive_at INTEGER;
  ALTER TABLE account ADD COLUMN archived_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN archive_failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN archive_problem TEXT;
  -- A refund whose message left before it: what the message was, and which secret made its id.
  ALTER TABLE ledger_entry ADD COLUMN operation TEXT;
  ALTER TABLE ledger_entry ADD COLUMN secret_id INTEGER;
  -- The files that hold what left, each with its manifest. What a file holds does not change any more.
  CREATE TABLE archive_file (
    first_seq INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL,
    manifest TEXT NOT NULL
  );
  -- Texts: the key that the texts of one day are wrapped with; without it they are forgotten (retention/text-keys.ts).
  CREATE TABLE text_key (
    since INTEGER PRIMARY KEY,
    until INTEGER NOT NULL,
    key BLOB NOT NULL
  );
  -- Texts of jobs up to keyless_seq are from before these keys. They are deleted one by one, up to forgotten_seq so far.
  ALTER TABLE account ADD COLUMN keyless_seq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN forgotten_seq INTEGER NOT NULL DEFAULT 0;
  UPDATE account SET keyless_seq = (SELECT coalesce(max(seq), 0) FROM job);
  -- Leaving: when a closing account is erased; NULL while it is not closing.
  ALTER TABLE account ADD COLUMN closes_at INTEGER;
  `,
  `
  -- Questions: segments of each SMS of a job; NULL for calls and older jobs.
  ALTER TABLE job ADD COLUMN segments INTEGER;
  -- The balance below which balance.low is reported, in units; NULL: never.
  ALTER TABLE account ADD COLUMN balance_low_at INTEGER DEFAULT 100000;
  -- Scheduling: for when a request was ordered, NULL: for at once. Its messages are queued, and their lives say the same.
  ALTER TABLE job ADD COLUMN send_at INTEGER;
  -- Events: their pages, each with a line for every event from first to last; the oldest of these was written at since,
  -- the newest at until (events/pages.ts). No row: the account has not asked for its events yet.
  CREATE TABLE feed (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    events TEXT NOT NULL
  );
  -- When the feed began; NULL: it has not. And settled_seq as the last release with events moved it.
  ALTER TABLE account ADD COLUMN feed_since INTEGER;
  ALTER TABLE account ADD COLUMN feed_settled INTEGER NOT NULL DEFAULT 0;
  -- Changes that are in no page, if the newest event still has the number told_at; and the job's revision at the last
  -- change that the feed knows of.
  ALTER TABLE job ADD COLUMN told TEXT;
  ALTER TABLE job ADD COLUMN told_at INTEGER;
  ALTER TABLE job ADD COLUMN told_rev INTEGER;
  -- Quotes: those that were used, until they are long expired (quotes/used.ts).
  CREATE TABLE quote_used (
    expires_at INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY (expires_at, id)
  ) WITHOUT ROWID;

  -- Webhooks: an endpoint is one row, which a run of deliveries writes once (endpoints/rows.ts). What it is, is JSON.
  CREATE TABLE endpoint (
    id TEXT PRIMARY KEY,
    acked INTEGER NOT NULL,
    next_at INTEGER,
    is_active INTEGER NOT NULL,
    about TEXT NOT NULL,
    attempts TEXT NOT NULL DEFAULT '[]'
  ) WITHOUT ROWID;
  -- Events that an endpoint refused, and that it gets apart from the others.
  CREATE TABLE parked (
    endpoint TEXT NOT NULL,
    seq INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (endpoint, seq)
  ) WITHOUT ROWID;
  `,
  `
  -- Twilio's form: states of messages that are still to be posted to the addresses in their jobs (callbacks/rows.ts).
  CREATE TABLE status_callback (
    seq INTEGER PRIMARY KEY,
    next_at INTEGER NOT NULL,
    host TEXT NOT NULL,
    about TEXT NOT NULL
  );
  CREATE INDEX status_callback_next ON status_callback (next_at, host);
  `,
  `
  -- Numbers and abuse: what is allowed to the account, as JSON (limits/rules.ts); NULL: nothing was set.
  ALTER TABLE account ADD COLUMN rules TEXT;
  `,
  `
  -- India's DLT registry of the account (dlt/rows.ts); no row: it was never set.
  CREATE TABLE dlt (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    updated_at INTEGER NOT NULL,
    terms TEXT NOT NULL
  );
  CREATE TABLE dlt_templates (
    first INTEGER PRIMARY KEY,
    templates TEXT NOT NULL
  );
  `,
];

/** Releases that know no more than the first five steps refuse all storage where the table `migration` counts further. */
export const ACCOUNT_SCHEMA: Schema = { steps: MIGRATIONS, counted: 5 };
