import { describe, expect, it } from "vitest";
import { blocksOf, pageMarkdown, piecesOf, plainText } from "../../../src/ui/docs/markdown.ts";

const nothing = () => [];

const made = (name: string, argument: string) => [{ kind: "text", text: `${name}(${argument})` } as const];

describe("a text of the documentation", () => {
  it("is read as headings, paragraphs, lists, tables and code", () => {
    const text = [
      "## A title {#anchor}",
      "",
      "one line",
      "and the next",
      "- first",
      "  goes on",
      "- second",
      "",
      "1. step",
      "",
      "| a | b |",
      "| --- | --- |",
      "| `x` | y |",
      "",
      "```sh",
      "curl x",
      "",
      "| no table |",
      "```",
      "### Retry-After",
    ].join("\n");
    expect(blocksOf(text, nothing)).toEqual([
      { kind: "heading", level: 2, text: "A title", id: "anchor" },
      { kind: "text", text: "one line and the next" },
      { kind: "list", ordered: false, items: ["first goes on", "second"] },
      { kind: "list", ordered: true, items: ["step"] },
      { kind: "table", head: ["a", "b"], rows: [["`x`", "y"]] },
      { kind: "code", language: "sh", code: "curl x\n\n| no table |" },
      { kind: "heading", level: 3, text: "Retry-After", id: "retry-after" },
    ]);
  });

  it("has lines that stand for blocks", () => {
    expect(blocksOf("@sample sendSms\n\n@errors", made)).toEqual([
      { kind: "text", text: "sample(sendSms)" },
      { kind: "text", text: "errors()" },
    ]);
  });

  it("has code, strong words and links in it, and code in a link's label", () => {
    expect(piecesOf("a `b` **c** [`d` e](/docs/f#g).")).toEqual([
      { text: "a " },
      { text: "b", as: "code" },
      { text: " " },
      { text: "c", as: "strong" },
      { text: " " },
      { text: "`d` e", href: "/docs/f#g" },
      { text: "." },
    ]);
    expect(plainText("a `b` **c** [`d` e](/f).")).toBe("a b c d e.");
  });
});

describe("a page as Markdown", () => {
  it("is the text that it was read from", () => {
    const text = "## One {#one}\n\nSee `a`.\n\n- b\n- c\n\n| d | e |\n| --- | --- |\n| f | g |\n\n```sh\nls\n```";
    const page = { path: "x", title: "T", lead: "L", blocks: blocksOf(text, nothing) };
    expect(pageMarkdown(page, "https://c.example")).toBe(`# T\n\nL\n\n${text.replace(" {#one}", "")}`);
  });

  it("leads to other pages as Markdown, and to the console as it is", () => {
    const text = "[a](/docs) [b](/docs/errors#rate_limited) [c](/keys) [d](https://d.example/docs/x)";
    const page = { path: "", title: "T", lead: "", blocks: blocksOf(text, nothing) };
    expect(pageMarkdown(page, "https://c.example")).toBe(
      "# T\n\n[a](https://c.example/docs.md) [b](https://c.example/docs/errors.md#rate_limited) [c](https://c.example/keys) [d](https://d.example/docs/x)",
    );
  });

  it("keeps the cells of a table apart", () => {
    const page = {
      path: "",
      title: "T",
      lead: "",
      blocks: [{ kind: "table", head: ["a"], rows: [["b | c"]] } as const],
    };
    expect(pageMarkdown(page, "")).toContain(String.raw`| b \| c |`);
  });
});
