import type { FC } from "hono/jsx";
import { LANGUAGES } from "../../samples/sample.ts";
import { Icon } from "../icons.tsx";
import { useView, useWords } from "../view.ts";
import { docsWords } from "../words/docs.ts";
import { shell } from "../words/shell.ts";
import type { Block, Inline } from "./block.ts";
import { piecesOf } from "./markdown.ts";

// Blocks of the documentation as HTML.

/** Marks what is English on a page in another language. */
export const english = (is: boolean | undefined) => (is === true ? { lang: "en" } : {});

/** A text with its code, strong words and links. */
export const Text: FC<{ text: Inline }> = ({ text }) => {
  const { at } = useView();
  return (
    <>
      {piecesOf(text).map((piece) => {
        if ("href" in piece) {
          return (
            <a href={piece.href.startsWith("/") ? at(piece.href) : piece.href}>
              <Text text={piece.text} />
            </a>
          );
        }
        if (piece.as === "code") return <code>{piece.text}</code>;
        return piece.as === "strong" ? <strong>{piece.text}</strong> : piece.text;
      })}
    </>
  );
};

/** Copies the code that is shown beside it; without a script there is none. */
const CopyCode: FC = () => (
  <button type="button" class="ghost copycode" data-copy="">
    <Icon name="copy" />
    <span class="sr">{useWords(shell).copy}</span>
  </button>
);

const Code: FC<{ code: string }> = ({ code }) => (
  <div class="code">
    <CopyCode />
    <pre tabindex={0}>{code}</pre>
  </div>
);

/** One program in several languages: radio buttons choose, by style alone. */
const Samples: FC<{ of: Extract<Block, { kind: "samples" }> }> = ({ of: { id, samples } }) => (
  <fieldset class="code tabs">
    <legend class="sr">{useWords(docsWords).language}</legend>
    {samples.map(({ language, code }, place) => (
      <>
        <input class="sr" type="radio" name={id} id={`${id}-${language}`} checked={place === 0} />
        <label for={`${id}-${language}`}>{LANGUAGES[language].title}</label>
        <pre tabindex={0}>{code}</pre>
      </>
    ))}
    <CopyCode />
  </fieldset>
);

const Table: FC<{ of: Extract<Block, { kind: "table" }> }> = ({ of }) => (
  <div class="scroll" tabindex={0} role="group" aria-label={of.head.join(", ").replaceAll("`", "")}>
    <table>
      <thead>
        <tr>
          {of.head.map((text) => (
            <th scope="col">
              <Text text={text} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {of.rows.map((cells) => (
          <tr>
            {cells.map((text) => (
              <td {...english(of.english)}>
                <Text text={text} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const One: FC<{ of: Block }> = ({ of }) => {
  switch (of.kind) {
    case "heading": {
      const content = (
        <a href={`#${of.id}`}>
          <Text text={of.text} />
        </a>
      );
      const attributes = { id: of.id, ...english(of.english) };
      return of.level === 2 ? <h2 {...attributes}>{content}</h2> : <h3 {...attributes}>{content}</h3>;
    }
    case "text":
      return (
        <p {...english(of.english)}>
          <Text text={of.text} />
        </p>
      );
    case "list": {
      const items = of.items.map((text) => (
        <li>
          <Text text={text} />
        </li>
      ));
      return of.ordered ? <ol {...english(of.english)}>{items}</ol> : <ul {...english(of.english)}>{items}</ul>;
    }
    case "table":
      return <Table of={of} />;
    case "code":
      return <Code code={of.code} />;
    case "samples":
      return <Samples of={of} />;
  }
};

/** The blocks of a page. */
export const Blocks: FC<{ of: readonly Block[] }> = ({ of }) => (
  <>
    {of.map((block) => (
      <One of={block} />
    ))}
  </>
);
