/** Inbox. */
export function startInbox(): void {}
