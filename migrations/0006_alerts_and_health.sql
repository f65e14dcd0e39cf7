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
