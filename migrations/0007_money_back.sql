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
CREATE INDEX `attempt_resets` ON `attempt` (`resets_at`);--> statement-breakpoint
CREATE INDEX `challenge_expires` ON `challenge` (`expires_at`);--> statement-breakpoint
CREATE INDEX `session_expires` ON `session` (`expires_at`);