-- History is in databases of its own from here on (migrations/history); the accounts fill them themselves. The table
-- `message_group` is no longer read or written. It stays for a release, so that a Worker that runs until this one is
-- deployed finds it: a later migration drops it. `message` was left for the same reason, by the release before.
DROP TABLE `message`;
