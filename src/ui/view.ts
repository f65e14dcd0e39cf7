import { createContext, useContext } from "hono/jsx";
import type { Person } from "../model/person.ts";
import type { Mode } from "../model/ref.ts";
import type { Lang } from "./lang.ts";

// What every component may ask for, without being handed it: language, addresses, who is signed in.

export interface View {
  lang: Lang;
  /** What was chosen; null follows the system. */
  theme: "light" | "dark" | null;
  /** Whose money and messages the pages show. */
  mode: Mode;
  person: Person | null;
  /** Whether this is a developer's own machine. */
  local: boolean;
  /** The path of this page and its query, without the base's prefix: where a form leads back to. */
  path: string;
  /** An address of this console: `at("/keys")`. Every link goes through it, because a base may have a path. */
  at: (path: string) => string;
}

export const ViewContext = createContext<View | null>(null);

/** The view of the page that is being rendered. */
export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("a component was rendered outside a page");
  return view;
}

/** A page's words in both languages. What English has and Hindi lacks does not compile. */
interface Words<T> {
  en: T;
  hi: T;
}

export const words = <T extends object>(en: T, hi: NoInfer<T>): Words<T> => ({ en, hi });

/** The words of a page in the reader's language. */
export const useWords = <T>(of: Words<T>): T => of[useView().lang];
