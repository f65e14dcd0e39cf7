import { GUIDE_GROUPS, docsWords } from "../words/docs.ts";
import type { DocsPage } from "./block.ts";
import { guidePage, guidePath, guidesOf } from "./guides.ts";
import { operationsOf } from "./document.ts";
import { operationPage, operationPath } from "./operation.ts";
import type { Reader } from "./reader.ts";
import { socketPage, socketPath, socketsOf } from "./socket.ts";

// The table of contents of the documentation.

/** A page as it stands in the menu. */
export interface Entry {
  path: string;
  title: string;
  english: boolean;
}

export interface Section {
  title: string;
  english: boolean;
  entries: readonly Entry[];
}

/** The menu: groups of guides, then the operations and WebSockets by tag. */
export function sections({ lang, document, texts }: Pick<Reader, "lang" | "document" | "texts">): Section[] {
  const t = docsWords[lang];
  const guides = GUIDE_GROUPS.map((group) => ({
    title: t.groups[group],
    english: false,
    entries: guidesOf(texts, group).map((guide) => ({
      path: guidePath(guide),
      title: guide[lang].title,
      english: false,
    })),
  }));
  const tags = document.tags.map(({ name }) => ({
    title: t.tags[name] ?? name,
    english: t.tags[name] === undefined,
    entries: [
      ...operationsOf(document)
        .filter(({ op }) => op.tags[0] === name)
        .map((operation) => ({ path: operationPath(operation), title: operation.op.summary, english: true })),
      ...socketsOf(document)
        .filter(({ tags }) => tags[0] === name)
        .map((socket) => ({ path: socketPath(socket), title: socket.summary, english: true })),
    ],
  }));
  return [...guides, ...tags].filter(({ entries }) => entries.length > 0);
}

/** The page at a path below /docs; null where there is none. */
export function pageAt(path: string, reader: Reader): DocsPage | null {
  const guide = reader.texts.guides.find((one) => guidePath(one) === path);
  if (guide) return guidePage(guide, reader);
  const operation = operationsOf(reader.document).find((one) => operationPath(one) === path);
  if (operation) return operationPage(operation, reader);
  const socket = socketsOf(reader.document).find((one) => socketPath(one) === path);
  return socket ? socketPage(socket, reader) : null;
}

/** Every page, in the order of the menu. */
export function allPages(reader: Reader): DocsPage[] {
  return sections(reader).flatMap(({ entries }) => entries.flatMap(({ path }) => pageAt(path, reader) ?? []));
}
