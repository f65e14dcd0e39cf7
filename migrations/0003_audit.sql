CREATE TABLE `audit` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor_kind` text NOT NULL,
	`actor` text NOT NULL,
	`account_id` text,
	`action` text NOT NULL,
	`subject` text,
	`details` text NOT NULL,
	`address` text,
	`request_id` text,
	`session` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_account` ON `audit` (`account_id`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_actor` ON `audit` (`actor`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_action` ON `audit` (`action`,`at`,`id`);--> statement-breakpoint
CREATE INDEX `account_created` ON `account` (`mode`,`created_at`,`account_id`);