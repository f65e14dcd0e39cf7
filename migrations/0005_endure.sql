-- History is in databases of its own from here on (migrations/history); the accounts fill them themselves. The table
-- `message_group` is no longer read or written. It stays for a release, so that a Worker that runs until this one is
-- deployed finds it: a later migration drops it. `message` was left for the same reason, by the release before.
DROP TABLE `message`;
--> statement-breakpoint
CREATE TABLE `cursor` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `service_setting` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `alert` (
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`episode` text NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL,
	`details` text NOT NULL,
	`ended_at` integer,
	`noticed_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `subject`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `alert_notice` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`body` text NOT NULL,
	`at` integer NOT NULL,
	`tries` integer NOT NULL,
	`next_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_notice_id_unique` ON `alert_notice` (`id`);--> statement-breakpoint
CREATE TABLE `delivery_tally` (
	`carrier` text NOT NULL,
	`slot` integer NOT NULL,
	`delivered` integer NOT NULL,
	`undelivered` integer NOT NULL,
	`failed` integer NOT NULL,
	`unconfirmed` integer NOT NULL,
	`sum_ms` integer NOT NULL,
	`within_5` integer NOT NULL,
	`within_15` integer NOT NULL,
	`within_60` integer NOT NULL,
	`within_300` integer NOT NULL,
	`within_1800` integer NOT NULL,
	PRIMARY KEY(`carrier`, `slot`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `long_wait` (
	`account_id` text NOT NULL,
	`lane` text NOT NULL,
	`carrier` text NOT NULL,
	`oldest_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `lane`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `dispute` (
	`provider` text NOT NULL,
	`dispute_id` text NOT NULL,
	`order_id` text,
	`account_id` text,
	`payment_ref` text,
	`status` text NOT NULL,
	`phase` text NOT NULL,
	`reason` text,
	`amount_paise` integer NOT NULL,
	`deducted_paise` integer NOT NULL,
	`currency` text,
	`respond_by` integer,
	`version` integer NOT NULL,
	`first_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`provider`, `dispute_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `dispute_order` ON `dispute` (`order_id`);--> statement-breakpoint
CREATE INDEX `dispute_updated` ON `dispute` (`updated_at`);--> statement-breakpoint
CREATE TABLE `tax_note` (
	`kind` text NOT NULL,
	`year` text NOT NULL,
	`number` integer NOT NULL,
	`order_id` text NOT NULL,
	`source` text NOT NULL,
	`nth` integer NOT NULL,
	`amount_paise` integer NOT NULL,
	`before_paise` integer NOT NULL,
	`issued_at` integer NOT NULL,
	`terms` text NOT NULL,
	PRIMARY KEY(`kind`, `year`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tax_note_issued` ON `tax_note` (`issued_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `tax_note_source` ON `tax_note` (`order_id`,`source`,`nth`);--> statement-breakpoint
ALTER TABLE `account` ADD `watch_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `attempt_resets` ON `attempt` (`resets_at`);--> statement-breakpoint
CREATE INDEX `challenge_expires` ON `challenge` (`expires_at`);--> statement-breakpoint
CREATE INDEX `session_expires` ON `session` (`expires_at`);