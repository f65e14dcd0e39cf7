import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { freshDirectory } from "../../../harness/program.ts";
import { SMPP_SETTINGS } from "../../../src/smpp/settings.ts";
import { startCentre } from "./npm-centre.ts";
import type { Certified } from "./npm-centre.ts";
import { BIND, eventually, startSmppService } from "./smpp-service.ts";

// Binds over TLS to centres of npm's smpp. The runtime trusts an authority that is made for these tests; it reads which
// ones to trust when it is loaded, so the file's place stands before the imports.

const AUTHORITY = vi.hoisted(() => {
  const { mkdtempSync } = process.getBuiltinModule("node:fs");
  const directory = mkdtempSync(`${process.getBuiltinModule("node:os").tmpdir()}/authority-`);
  process.env["NODE_EXTRA_CA_CERTS"] = `${directory}/cert.pem`;
  const [key, cert] = [`${directory}/key.pem`, `${directory}/cert.pem`];
  const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Authority of tests"];
  const asked = ["req", ...made, "-keyout", key, "-out", cert];
  process.getBuiltinModule("node:child_process").spawnSync("openssl", asked, { stdio: "ignore" });
  return { key, cert };
});

const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** A certificate for an address; signed by the authority, or by itself. */
function certify(address: string, isSigned: boolean): Certified {
  const directory = freshDirectory();
  const [key, asked, cert] = ["key.pem", "asked.pem", "cert.pem"].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ];
  const names = path.join(directory, "names");
  writeFileSync(names, `subjectAltName=${address}\n`);
  openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=centre", "-keyout", key, "-out", asked);
  const by = isSigned ? ["-CA", AUTHORITY.cert, "-CAkey", AUTHORITY.key, "-CAcreateserial"] : ["-signkey", key];
  openssl("x509", "-req", "-in", asked, ...by, "-days", "2", "-extfile", names, "-out", cert);
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

const message = (ref: string) => ({ ref, to: "+919876543210", text: "Hello", sender: "TESTID" });

describe.skipIf(!hasOpenssl)("a bind over TLS (needs openssl)", () => {
  it("submits and gets receipts, where an authority that is trusted vouches for the centre's name", async () => {
    const centre = await startCentre(certify("IP:127.0.0.1", true));
    const service = await startSmppService();
    await service.bind(BIND, { port: centre.port, tls: true });
    const ref = await service.order();
    expect(await service.submit(BIND, message(ref))).toEqual({ kind: "submitted" });
    expect(centre.got).toHaveLength(1);
    expect(centre.pdus).toBeGreaterThan(1);
    expect(await centre.deliver("id:n1 sub:001 dlvrd:001 stat:DELIVRD err:000 text:Hello")).toBe(0);
    await eventually(async () => (await service.states()).get(ref) === "delivered");
  });

  it.each([
    ["no authority vouches for", certify("IP:127.0.0.1", false)],
    ["is another centre's", certify("DNS:other.example", true)],
  ])("is not made, and tells no password, where the certificate %s", async (_, certified) => {
    const centre = await startCentre(certified);
    const service = await startSmppService();
    const settings = { host: "127.0.0.1", port: centre.port, tls: true, system_id: "acme", response_s: 2 };
    await service.ask(BIND, "configure", { settings: SMPP_SETTINGS.parse(settings), password: "secret" }, Date.now());
    await eventually(() => centre.connections > 0);
    expect((await service.standing(BIND))?.state).toBe("down");
    expect(await service.submit(BIND, message("r1"))).toEqual({ kind: "not_accepted", code: "no_bind" });
    expect(centre.pdus).toBe(0);
  });
});
