import type * as z from "zod";
import type { templateSettings } from "./settings.ts";

/** A description of a carrier to start from. */
export interface Preset {
  title: string;
  /** Where its documents are, or what else it was written from. */
  sources: readonly string[];
  settings: z.input<typeof templateSettings>;
  /** Its secrets, with what each is. */
  secrets: Readonly<Record<string, string>>;
}
