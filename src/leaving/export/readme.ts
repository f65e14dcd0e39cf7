/** What is in the files, as a text beside them. */
export const README = `Everything that this account has, as of the time in manifest.json.

person.json, sessions.json   the person who signs in; passwords and codes are in no export
orders.json                  orders and the numbers of their invoices
audit/                       what was done to the account, its keys, money and settings
live/, test/                 each mode: account, keys and webhooks (without keys and secrets), ledger, recordings, archived
                             months, requests that were refused in the last 7 days, and messages with the times of their
                             states; codes are masked, texts are there until they are forgotten
manifest.json                "next" is null when this archive is complete; else get the next one with ?after= and it

Files that end in .ndjson have one JSON object in each line. Amounts are in coins, times in UTC.
`;
