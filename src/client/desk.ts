/** Desk. */
export function startDesk(): void {}
