/** Keys. */
export function startKeys(): void {}
