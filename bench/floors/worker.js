import { DurableObject } from "cloudflare:workers";

// The runtime's own cost: plain text, JSON in and out, a call of an object, and a call with an update and an insert.

export class Floor extends DurableObject {
  #sql = this.ctx.storage.sql;
  #ready = false;

  nothing(body) {
    return body.message.length;
  }

  store(body) {
    if (!this.#ready) {
      this.#sql.exec("CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, balance INTEGER)");
      this.#sql.exec("CREATE TABLE IF NOT EXISTS message (seq INTEGER PRIMARY KEY, phone TEXT, text TEXT)");
      this.#sql.exec("INSERT OR IGNORE INTO account VALUES (1, 1000000000)");
      this.#ready = true;
    }
    return this.ctx.storage.transactionSync(() => {
      const { balance } = this.#sql.exec("UPDATE account SET balance = balance - 1 RETURNING balance").one();
      this.#sql.exec("INSERT INTO message (phone, text) VALUES (?, ?)", body.phone, body.message);
      return balance;
    });
  }
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/text") return new Response("ok");
    const body = await request.json();
    if (pathname === "/echo") return Response.json(body);
    const stub = env.FLOOR.getByName(request.headers.get("x-account") ?? "one");
    const result = pathname === "/object" ? await stub.nothing(body) : await stub.store(body);
    return Response.json({ success: true, result });
  },
};
