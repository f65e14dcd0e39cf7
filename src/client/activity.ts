/** Activity. */
export function startActivity(): void {}
