CREATE TABLE `account` (
	`account_id` text NOT NULL,
	`mode` text NOT NULL,
	`rev` integer NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`plan` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `mode`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `message` (
	`account_id` text NOT NULL,
	`mode` text NOT NULL,
	`seq` integer NOT NULL,
	`place` integer NOT NULL,
	`rev` integer NOT NULL,
	`request_id` text NOT NULL,
	`operation` text NOT NULL,
	`recipient` text NOT NULL,
	`state` text NOT NULL,
	`charge` integer NOT NULL,
	`refunded` integer NOT NULL,
	`carrier` text,
	`attempts` integer NOT NULL,
	`error_code` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`timeline` text NOT NULL,
	PRIMARY KEY(`account_id`, `mode`, `seq`, `place`)
) WITHOUT ROWID;
