import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Window } from "./chromium.ts";

// What every page is checked for: accessibility, and its width.

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The accessibility violations of the shown page. */
export async function axe(window: Window): Promise<string[]> {
  await window.page.evaluate(AXE);
  const violations = await window.page.evaluate(async (tags) => {
    const { axe: runner } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const found = await runner.run({ runOnly: tags });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  }, AXE_TAGS);
  return violations;
}

/** Pixels by which the page is wider than the window. */
export const sideways = (window: Window) =>
  window.page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
