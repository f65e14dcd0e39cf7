/** The length of a text in Unicode code points, which is how the contract counts characters. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
