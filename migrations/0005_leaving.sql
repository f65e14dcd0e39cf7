CREATE TABLE `erasure` (
	`account_id` text PRIMARY KEY NOT NULL,
	`person_id` text,
	`state` text NOT NULL,
	`by` text NOT NULL,
	`given_up_max` integer NOT NULL,
	`asked_at` integer NOT NULL,
	`closes_at` integer NOT NULL,
	`check_at` integer,
	`hindrance` text,
	`began_at` integer,
	`erased_at` integer,
	`kept_until` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `erasure_check` ON `erasure` (`check_at`);