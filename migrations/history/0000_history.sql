CREATE TABLE `message_group` (
	`account_id` text NOT NULL,
	`mode` text NOT NULL,
	`kind` integer NOT NULL,
	`seq` integer NOT NULL,
	`rev` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`counts` text NOT NULL,
	`kinds` text NOT NULL,
	`states` text NOT NULL,
	`recipients` text NOT NULL,
	`requests` text NOT NULL,
	`messages` text NOT NULL,
	PRIMARY KEY(`account_id`, `mode`, `kind`, `seq`)
) WITHOUT ROWID;
