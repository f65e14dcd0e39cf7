CREATE TABLE `refused_request` (
	`day` integer NOT NULL,
	`account_id` text NOT NULL,
	`mode` text NOT NULL,
	`at` integer NOT NULL,
	`request_id` text NOT NULL,
	`method` text NOT NULL,
	`path` text NOT NULL,
	`status` integer NOT NULL,
	`code` text NOT NULL,
	`param` text,
	`error` text NOT NULL,
	`key_id` integer NOT NULL,
	`fields` text NOT NULL,
	PRIMARY KEY(`day`, `account_id`, `mode`, `at`, `request_id`)
) WITHOUT ROWID;
