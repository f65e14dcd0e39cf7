import type { Json } from "../../samples/sample.ts";
import type { OpenApi, SocketObject } from "../../openapi/types.ts";
import { docsWords } from "../words/docs.ts";
import type { Block, DocsPage } from "./block.ts";
import { exampleOf, fieldsOf } from "./document.ts";
import { blocksOf } from "./markdown.ts";
import { codeOf, fieldTable, heading, keyNote, keyText, parameterTable, refusals } from "./operation-parts.ts";
import type { Reader } from "./reader.ts";

// The page of a WebSocket, made from what the API's document says of it (`x-websockets`).

/** The WebSockets of a document. */
export const socketsOf = (document: OpenApi): readonly SocketObject[] => document["x-websockets"] ?? [];

/** The path of a WebSocket's page below /docs. */
export const socketPath = ({ operationId }: SocketObject): string => `api/${operationId}`;

/** Its address, as a client writes it. */
const addressOf = ({ server, path }: SocketObject): string => server.replace(/^http/u, "ws") + path;

/** The sample of a WebSocket, with the reader's test key in it; the texts have one for each. */
function sample(socket: SocketObject, { testKey, texts }: Reader): Block[] {
  const text = texts.sockets[socket.operationId];
  if (text === undefined) throw new Error(`the WebSocket ${socket.operationId} has no sample in src/ui/docs/sockets`);
  const code = text.replaceAll("SOCKET_URL", addressOf(socket));
  const withKey = testKey === null ? code : code.replaceAll("${process.env.DASTAK_KEY}", testKey);
  return [{ kind: "samples", id: `socket-${socket.operationId}`, samples: [{ language: "node", code: withKey }] }];
}

/** A table of what the document says in pairs. */
const pairs = (first: string, second: string, of: Readonly<Record<string, string>>): Block => ({
  kind: "table",
  head: [first, second],
  rows: Object.entries(of).map(([name, meaning]) => [codeOf(name), meaning]),
  english: true,
});

/** The page of a WebSocket: how to connect, what goes each way, how it ends, and what a client does then. */
export function socketPage(socket: SocketObject, reader: Reader): DocsPage {
  const { document, lang } = reader;
  const t = docsWords[lang];
  const described = blocksOf(socket.description ?? "", () => []).map((block) => ({ ...block, english: true }));
  const example: Json = exampleOf(document, socket.message);
  return {
    path: socketPath(socket),
    title: socket.summary,
    english: true,
    lead: "",
    blocks: [
      { kind: "code", language: "http", code: `GET ${addressOf(socket)}\nUpgrade: websocket` },
      ...described,
      { kind: "text", text: `${t.free} ${keyText(socket, document, lang)}` },
      ...sample(socket, reader),
      keyNote(reader),
      ...parameterTable(socket.parameters ?? [], reader),
      heading(t.clientSends, "sends"),
      pairs(t.text, t.meaning, socket.takes),
      heading(t.clientGets, "gets"),
      { kind: "text", text: t.eachText },
      { kind: "code", language: "json", code: JSON.stringify(example, null, 2) },
      fieldTable(fieldsOf(document, socket.message), reader, "reply"),
      heading(t.closes, "closes"),
      pairs(t.closeCode, t.meaning, socket.closes),
      heading(t.resume, "resume"),
      { kind: "text", text: t.resumeHow },
      ...refusals(socket, reader),
    ],
  };
}
