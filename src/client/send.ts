/** Send. */
export function startSend(): void {}
