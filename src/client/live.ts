/** Live. */
export function startLive(): void {}
