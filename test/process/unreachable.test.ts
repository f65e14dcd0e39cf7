import http from "node:http";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePorts } from "../../harness/program.ts";

// What workerd's fetch says of a GET that found no connection, and of one that was read and then cut: the same. So it
// cannot be told from the error whether the carrier got the message (src/carriers/exchange.ts).

const SCRIPT = `export default { async fetch(request) {
  const url = new URL(request.url).searchParams.get("url");
  try { return Response.json({ status: (await fetch(url)).status }); }
  catch (problem) { return Response.json({ name: problem.name, message: problem.message }); }
} }`;

let worker: Miniflare;
let read = 0;
const cutting = http.createServer((request) => {
  read += 1;
  request.socket.destroy();
});

beforeAll(async () => {
  worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: "ESModule", path: "/worker.js", contents: SCRIPT }],
      modulesRoot: "/",
      compatibilityDate: "2026-08-01",
      cf: false,
      host: "127.0.0.1",
    }),
  );
  await worker.ready;
  await new Promise<void>((done) => cutting.listen(0, "127.0.0.1", done));
});

afterAll(async () => {
  cutting.close();
  await worker.dispose();
});

const saidOf = async (url: string): Promise<unknown> =>
  (await worker.dispatchFetch(`http://worker.localhost/?url=${encodeURIComponent(url)}`)).json();

it("says the same of a refused connection as of one that was cut after the request was read", async () => {
  const [closed] = await freePorts(1);
  const address = cutting.address();
  if (typeof address !== "object" || address === null) throw new Error("The server does not listen.");
  const cut = await saidOf(`http://127.0.0.1:${address.port}/send?text=hello`);
  expect(read).toBeGreaterThan(0);
  const refused = await saidOf(`http://127.0.0.1:${closed}/send?text=hello`);
  expect(refused).toEqual(cut);
  // An unknown host is the error of everything that workerd did not expect, before the request or after it.
  expect(await saidOf("http://nowhere.invalid/send")).toMatchObject({
    message: expect.stringMatching(/^(?:internal error; reference = \w+|Network connection lost\.)$/u) as string,
  });
});
