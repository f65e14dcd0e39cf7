import { isDeceptive } from "./one-line.ts";

/** The longest name of a recording, in code points. */
export const NAME_LENGTH_MAX = 255;

/** Whether a name can be a file's: one line that reads as it is, without path separators. */
export const isBareName = (name: string): boolean => !/[/\\]/u.test(name) && !isDeceptive(name);
