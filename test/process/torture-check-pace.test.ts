import { expect, it } from "vitest";
import { T0 } from "../../torture/small-books.ts";
import { fault, put, set, unsee } from "../../torture/small-changes.ts";
import { TO, addCampaign, findingsOf, smallWorld, submission } from "../../torture/small-world.ts";
import type { World } from "../../torture/small-world.ts";

// The checker of `npm run torture` must find each of these violations of the pace, and of the order of messages.

/** Lets the one-time password reach the gateway at this time of the world; it was accepted after a second. */
function sendOtp(world: World, atMs: number): void {
  world.carrier.find((line) => line["to"] === TO.otp)!["at"] = T0 + atMs;
}

const SPOILS: [what: string, finding: RegExp, spoil: (world: World) => void][] = [
  [
    "a message is submitted while a Retry-After runs",
    /silence while a Retry-After/u,
    (world) => world.carrier.push(...submission(TO.voice, "accepts", "taken", 3_500)),
  ],
  [
    "a campaign is submitted faster than the rate that was set",
    /the rate set for a carrier is kept/u,
    (world) => {
      world.config["tps"] = 5;
      addCampaign(world, 61, 8_000);
    },
  ],
  [
    "a one-time password waits behind another account's campaign",
    /does not wait behind the bulks/u,
    (world) => (sendOtp(world, 6_000), addCampaign(world, 61, 5_900)),
  ],
  [
    "a one-time password waits behind another account's campaign, long after a fault",
    /does not wait behind the bulks/u,
    (world) => {
      sendOtp(world, 13_150);
      fault(world, "kill", 2_000, 1_000);
      addCampaign(world, 61, 12_000);
    },
  ],
];

it.each(SPOILS)("names the violated property when %s", (_what, finding, spoil) => {
  const world = smallWorld();
  spoil(world);
  expect(findingsOf(world).map(({ name }) => name)).toContainEqual(expect.stringMatching(finding));
});

it.each([
  [
    "sixty messages of others' bulks were on their way before a one-time password",
    (world: World) => (sendOtp(world, 6_000), addCampaign(world, 60, 5_900)),
  ],
  [
    "a one-time password waits a moment for a slot that is free, while what was permitted before it goes",
    (world: World) => (sendOtp(world, 1_850), addCampaign(world, 61, 1_800)),
  ],
  [
    "a one-time password waits for the service to recover",
    (world: World) => {
      sendOtp(world, 6_000);
      fault(world, "kill", 1_020, 1_000);
      addCampaign(world, 61, 5_900);
    },
  ],
  [
    "a restarted service does not know of a demand for silence",
    (world: World) => {
      fault(world, "pace", 1_500, 10, { how: "evict" });
      addCampaign(world, 3, 3_000);
    },
  ],
])("finds nothing where %s", (_what, change) => {
  const world = smallWorld();
  change(world);
  expect(findingsOf(world)).toEqual([]);
});

/** A submission to another account's number that the gateway never answers, or after some time. */
const another = (atMs: number, operation: string, answeredMs?: number) => (world: World) => {
  const [line, answer] = submission(
    "+919300000009",
    answeredMs === undefined ? "hangs" : "accepts_slowly",
    "taken",
    atMs,
  );
  world.carrier.push({ ...line, operation });
  if (answeredMs !== undefined) world.carrier.push({ ...answer, at: Number(line!["at"]) + answeredMs });
};

it.each([
  ["another one waits for a silent gateway", another(10_000, "otp"), false],
  ["another one waits for a slow gateway", another(11_200, "otp", 600), false],
  ["another one is answered soon", another(11_200, "otp", 350), true],
  ["none waits", () => undefined, true],
  ["another one was given up before", another(9_000, "otp"), true],
  ["a message of another lane waits", another(10_000, "sms"), true],
])("judges bulks that went before a one-time password while %s", (_what, change, isFound) => {
  const world = smallWorld();
  sendOtp(world, 12_000);
  addCampaign(world, 61, 11_500);
  change(world);
  expect(findingsOf(world).some(({ name }) => /does not wait behind the bulks/u.test(name))).toBe(isFound);
});

it("does not wait for a one-time password that was taken back before it was attempted", () => {
  const world = smallWorld();
  unsee(world, TO.otp);
  set(world, TO.otp, { attempts: 0 });
  put(world, TO.otp, "cancelled");
  addCampaign(world, 61, 5_900);
  const names = findingsOf(world).map(({ name }) => name);
  expect(names).not.toContainEqual(expect.stringMatching(/does not wait behind the bulks/u));
});
