import { createContext, useContext } from "hono/jsx";
import type { Operator } from "../model/operator.ts";
import type { Person } from "../model/person.ts";
import type { Mode } from "../model/ref.ts";
import type { Lang } from "./lang.ts";

// What every component can read without receiving it as a property: language, URLs, the signed-in person.

export interface View {
  lang: Lang;
  /** The chosen theme; null follows the system. */
  theme: "light" | "dark" | null;
  /** The mode whose money and messages the pages show. */
  mode: Mode;
  person: Person | null;
  /** The operator at the desk; null on every other page. */
  operator: Operator | null;
  /** Whether the service runs locally. */
  local: boolean;
  /** Whether what these pages send is caught in the test inbox: with test keys, and locally with the simulator. */
  caught: boolean;
  /** The path of this page and its query, without the base's prefix: where a form returns to. */
  path: string;
  /** A path of this console, such as `at("/keys")`. Every link uses it, because a base can have a path prefix. */
  at: (path: string) => string;
}

export const ViewContext = createContext<View | null>(null);

/** The view of the page that is being rendered; throws outside a page. */
export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("a component was rendered outside a page");
  return view;
}

/** A page's words in both languages. A word that is missing from Hindi does not compile. */
interface Words<T> {
  en: T;
  hi: T;
}

export const words = <T extends object>(en: T, hi: NoInfer<T>): Words<T> => ({ en, hi });

/** The words of a page in the reader's language. */
export const useWords = <T>(of: Words<T>): T => of[useView().lang];
