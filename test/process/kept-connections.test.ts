import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { call } from "../../harness/http.ts";
import type { Call } from "../../harness/http.ts";

// The tests' own client, against a server that closes connections as a busy service does.

interface Closing {
  /** What came, in order: the number of the connection and the method. */
  came: string[];
  ask: (options?: Call) => Promise<number>;
}

/** A server that answers the first request on each connection in full, or by half, and closes at the second, or at any. */
async function closing({ at, by = "silence" }: { at: "second" | "first"; by?: "silence" | "half" }): Promise<Closing> {
  const came: string[] = [];
  let connections = 0;
  const server = net.createServer((socket) => {
    const own = (connections += 1);
    let requests = 0;
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      came.push(`${own} ${data.toString().split(" ", 1)[0] ?? ""}`);
      requests += 1;
      if (at === "second" && requests === 1) return socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
      if (by === "half") return socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}");
      return socket.destroy();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  const ask = async (options: Call = {}) => (await call(`http://127.0.0.1:${port}/`, { agent, ...options })).status;
  return { came, ask };
}

const KEYED: Call = { method: "POST", headers: { "Idempotency-Key": "key-1" } };

it.each([
  ["a question", {}, "GET"],
  ["an order with a key", KEYED, "POST"],
] as const)("repeats %s whose kept connection was closed under it", async (_what, options, method) => {
  const { came, ask } = await closing({ at: "second" });
  expect([await ask(options), await ask(options)]).toEqual([200, 200]);
  expect(came).toEqual([`1 ${method}`, `1 ${method}`, `2 ${method}`]);
});

it("sends what must not be repeated over a connection of its own", async () => {
  const { came, ask } = await closing({ at: "second" });
  expect([await ask(), await ask({ method: "POST" }), await ask({ method: "DELETE" })]).toEqual([200, 200, 200]);
  expect(came).toEqual(["1 GET", "2 POST", "3 DELETE"]);
});

it.each([
  ["a question", {}],
  ["an order with a key", KEYED],
  ["an order without a key", { method: "POST" }],
] as const)("throws where a new connection breaks under %s", async (_what, options) => {
  const { came, ask } = await closing({ at: "first" });
  await expect(ask(options)).rejects.toThrow("socket hang up");
  expect(came).toHaveLength(1);
});

it("throws where a reply breaks off", async () => {
  const { came, ask } = await closing({ at: "second", by: "half" });
  expect(await ask()).toBe(200);
  await expect(ask()).rejects.toThrow("aborted");
  expect(came).toEqual(["1 GET", "1 GET"]);
});
