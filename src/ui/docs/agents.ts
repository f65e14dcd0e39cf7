import { PRODUCT } from "../../config/settings.ts";
import type { DocsPage } from "./block.ts";
import { pageMarkdown } from "./markdown.ts";
import { allPages, pageAt, sections } from "./pages.ts";
import { filled } from "./reader.ts";
import type { Reader } from "./reader.ts";

// The documentation for programs and assistants: llms.txt (llmstxt.org), pages as Markdown, and one Agent Skill
// (agentskills.io).

const ABOUT = `${PRODUCT} is a prepaid messaging and voice API: SMS in India and abroad, bulk SMS, one-time passwords, spoken calls and voice calls, with a test mode that reaches no phone and costs nothing.`;

const console = ({ values }: Reader): string => values["CONSOLE_URL"] ?? "";

/** A page as Markdown; its first line says where the others are. */
export function twinOf(page: DocsPage, reader: Reader): string {
  return `> All pages: ${console(reader)}/llms.txt\n\n${pageMarkdown(page, console(reader))}\n`;
}

const twinPath = (path: string) => (path === "" ? "/docs.md" : `/docs/${path}.md`);

/** `/llms.txt`: what there is, with a link to each page's twin. */
export function llmsTxt(reader: Reader): string {
  const at = console(reader);
  const lists = sections(reader).map(({ title, entries }) => {
    const lines = entries.map(({ path, title: name }) => {
      const { lead = "" } = pageAt(path, reader) ?? {};
      return `- [${name}](${at}${twinPath(path)})${lead === "" ? "" : `: ${lead}`}`;
    });
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  const optional = [
    `- [Everything in one file](${at}/llms-full.txt)`,
    `- [OpenAPI 3.1](${at}/openapi.json): the machine-readable description of all operations`,
    `- [Agent Skill](${at}${SKILL_PATH})`,
  ];
  return (
    [
      `# ${PRODUCT}`,
      `> ${ABOUT}`,
      filled(reader.texts.notes, reader),
      ...lists,
      `## Optional\n\n${optional.join("\n")}`,
    ].join("\n\n") + "\n"
  );
}

/** `/llms-full.txt`: every page. */
export function llmsFullTxt(reader: Reader): string {
  const pages = allPages(reader).map((page) => pageMarkdown(page, console(reader)));
  return [`# ${PRODUCT}`, `> ${ABOUT}`, filled(reader.texts.notes, reader), ...pages].join("\n\n") + "\n";
}

export const SKILL_NAME = "dastak";
export const SKILL_PATH = `/.well-known/agent-skills/${SKILL_NAME}/SKILL.md`;
export const SKILL_DESCRIPTION =
  "Send SMS, one-time passwords, bulk SMS and voice calls with the Dastak API, and test such code without a phone. Use when a program should send a text message, verify a phone number with a code, call a number with a spoken text or a recording, or when code that calls Dastak fails.";

/** The skill, with the addresses of this deployment. */
export function skillMd(reader: Reader): string {
  return `---\nname: ${SKILL_NAME}\ndescription: ${SKILL_DESCRIPTION}\n---\n\n${filled(reader.texts.skill, reader)}\n`;
}
