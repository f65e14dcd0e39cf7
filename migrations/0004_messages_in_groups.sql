-- The table `message` is no longer read or written. It stays for a release, so that a Worker that runs until this one is
-- deployed, or after it is rolled back, finds it: a later migration drops it. The accounts fill the new table themselves.
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
