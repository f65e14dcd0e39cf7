/** The longest name of a recording, in code points. */
export const NAME_LENGTH_MAX = 255;

/** Whether a name can be a file's: it contains no path separator and no control character. */
export function isBareName(name: string): boolean {
  return !/[/\\\p{Cc}]/u.test(name);
}
