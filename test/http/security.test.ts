import { describe, expect, it } from "vitest";
import { DEPLOYED, callWith, serviceWith } from "../world/deployment.ts";
import { freshNumber, from } from "../world/people.ts";
import { securityLines } from "../world/security-lines.ts";
import { Visitor } from "../world/visitor.ts";
import { bearer } from "../world/world.ts";

// Security lines, which no setting switches off.

const at = (path: string) => `https://console.dastak.example${path}`;

describe("security lines", () => {
  const service = { ...DEPLOYED, LOG_REQUESTS: "failures" };

  it("are written by a deployed service that logs only failures", async () => {
    const deployed = serviceWith(service);
    const lines = await securityLines(async () => {
      const init = {
        method: "POST",
        headers: {
          ...bearer(service.OPERATOR_TOKEN ?? ""),
          "content-type": "application/json",
          ...from("198.51.100.1"),
        },
      };
      const opened = await deployed(at("/operator/accounts"), { ...init, body: JSON.stringify({ name: "Deployed" }) });
      expect(opened.status).toBe(200);
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ act: "account.opened", by: "operator", actor: "token" });
    expect(lines[0]?.["address"]).toMatch(/^[\w-]{12}$/u);
    expect(lines[0]?.["request_id"]).toMatch(/^req_/u);
    expect(JSON.stringify(lines)).not.toContain("198.51.100.1");
  });

  it("are written for the first refused proof of each address in a minute, with its MAC", async () => {
    const deployed = serviceWith(service);
    const guess = (address: string) =>
      deployed(at("/operator/accounts/acc_00000000000"), { headers: { ...bearer("guess"), ...from(address) } });
    const lines = await securityLines(async () => {
      for (let times = 0; times < 200; times += 1) await guess("198.51.100.2");
      await guess("198.51.100.3");
    });
    expect(lines.map(({ act, status, path }) => [act, status, path])).toEqual([
      ["refused", 401, "/operator/accounts/:id"],
      ["refused", 401, "/operator/accounts/:id"],
    ]);
    expect(new Set(lines.map(({ address }) => address)).size).toBe(2);
    expect(JSON.stringify(lines)).not.toMatch(/guess|198\.51/u);
  });

  it("are written for a wrong code, a wrong password, a wrong desk token and a forged key", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    await visitor.submit("/sign-in", { phone: number });
    const wrong = {
      code: () => visitor.submit("/sign-in/code", { code: "000000" }, from("198.51.100.11")),
      password: () =>
        visitor.submit("/sign-in/password", { email: "a@example.com", password: "x" }, from("198.51.100.12")),
      desk: () => visitor.submit("/desk/sign-in", { token: "x" }, from("198.51.100.13")),
      key: () => callWith({}, "http://sms.localhost/account-balance", { headers: from("198.51.100.14") }),
    };
    for (const [what, ask] of Object.entries(wrong)) {
      const lines = await securityLines(ask);
      expect(
        lines.map(({ act, status }) => [act, status]),
        what,
      ).toEqual([["refused", 401]]);
    }
  });
});
