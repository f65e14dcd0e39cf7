ALTER TABLE `person` ADD `devices_since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `person` ADD `next_phone` text;--> statement-breakpoint
ALTER TABLE `person` ADD `next_phone_at` integer;--> statement-breakpoint
CREATE INDEX `person_next_phone` ON `person` (`next_phone`);--> statement-breakpoint
ALTER TABLE `session` ADD `phone_proved_at` integer;--> statement-breakpoint
ALTER TABLE `session` ADD `country` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `session` ADD `city` text DEFAULT '' NOT NULL;