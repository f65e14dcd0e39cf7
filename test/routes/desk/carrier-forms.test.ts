import { expect, it } from "vitest";
import { atTheDesk } from "../../world/operators.ts";

// What the forms of carriers say of themselves.

it("of a provider names the provider, links what it was written from, and says that a name cannot be changed", async () => {
  const desk = await atTheDesk();
  const { text } = await desk.get("/desk/new-carrier?kind=template&preset=msg91");
  expect(text).toContain('<p class="dim">MSG91 (HTTP by description)</p>');
  expect(text).toMatch(
    /<a [^>]*href="https:\/\/github\.com\/MSG91\/MSG91-node" rel="noreferrer">[^<]+<\/a> \(DLT_TE_ID\)/u,
  );
  expect(text).toContain("It cannot be changed later.");
  const plain = await desk.get("/desk/new-carrier?kind=template&preset=none");
  expect(plain.text).toContain('<p class="dim">HTTP by description</p>');
});

it("of SMPP says which setting is wrong", async () => {
  const desk = await atTheDesk();
  const form = { kind: "smpp", name: "acme", "settings.host": "not a host", "settings.system_id": "us", do: "save" };
  const { status, text } = await desk.submit("/desk/new-carrier", form);
  expect(status).toBe(400);
  expect(text).toContain("settings.host must be a host name or an IP address.");
});
