CREATE TABLE `attempt` (
	`bucket` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`resets_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `challenge` (
	`hash` text PRIMARY KEY NOT NULL,
	`phone` text NOT NULL,
	`code` text NOT NULL,
	`purpose` text NOT NULL,
	`payload` text NOT NULL,
	`tries` integer NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `dead_letter` (
	`id` text PRIMARY KEY NOT NULL,
	`body` text NOT NULL,
	`at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `invoice` (
	`year` text NOT NULL,
	`number` integer NOT NULL,
	`order_id` text NOT NULL,
	`issued_at` integer NOT NULL,
	`terms` text NOT NULL,
	PRIMARY KEY(`year`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `invoice_order_id_unique` ON `invoice` (`order_id`);--> statement-breakpoint
CREATE TABLE `payment_event` (
	`provider` text NOT NULL,
	`event_id` text NOT NULL,
	`order_id` text,
	`kind` text NOT NULL,
	`payment_ref` text,
	`amount_paise` integer,
	`refunded_paise` integer NOT NULL,
	`currency` text,
	`quarantined` text,
	`received_at` integer NOT NULL,
	`resolved_at` integer,
	PRIMARY KEY(`provider`, `event_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `payment_order` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`plan` text NOT NULL,
	`amount_paise` integer NOT NULL,
	`currency` text NOT NULL,
	`credit_units` integer NOT NULL,
	`provider` text NOT NULL,
	`provider_ref` text,
	`payment_ref` text,
	`state` text NOT NULL,
	`refunded_paise` integer NOT NULL,
	`reason` text,
	`buyer` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`check_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `payment_order_account` ON `payment_order` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `payment_order_check` ON `payment_order` (`check_at`);--> statement-breakpoint
CREATE INDEX `payment_order_provider_ref` ON `payment_order` (`provider_ref`);--> statement-breakpoint
CREATE INDEX `payment_order_payment_ref` ON `payment_order` (`payment_ref`);--> statement-breakpoint
CREATE TABLE `person` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`phone` text,
	`email` text,
	`password` text,
	`buyer` text,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `person_account_id_unique` ON `person` (`account_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `person_phone_unique` ON `person` (`phone`);--> statement-breakpoint
CREATE UNIQUE INDEX `person_email_unique` ON `person` (`email`);--> statement-breakpoint
CREATE TABLE `session` (
	`hash` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`device` text NOT NULL,
	`created_at` integer NOT NULL,
	`authenticated_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `session_holder` ON `session` (`holder`);--> statement-breakpoint
ALTER TABLE `message` ADD `key_id` integer;
