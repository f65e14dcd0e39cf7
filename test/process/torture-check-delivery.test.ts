import { expect, it } from "vitest";
import {
  fault,
  interrupt,
  leap,
  messageTo,
  put,
  recordOf,
  refund,
  retell,
  set,
  unsee,
} from "../../torture/small-changes.ts";
import { TO, addCampaign, findingsOf, receipt, smallWorld, submission } from "../../torture/small-world.ts";
import type { World } from "../../torture/small-world.ts";

// The checker of `npm run torture` must find each of these violations in the delivery of messages.

const SPOILS: [what: string, finding: RegExp, spoil: (world: World) => void][] = [
  [
    "a message is submitted again after it was accepted",
    /submitted again only after a certain no/u,
    (world) => world.carrier.push(...submission(TO.sms, "accepts", "taken")),
  ],
  [
    "a message is submitted again after an unknown outcome",
    /submitted again only after a certain no/u,
    (world) => world.carrier.push(...submission(TO.otp, "accepts", "taken")),
  ],
  [
    "a message is submitted under a second reference",
    /one reference per message/u,
    (world) => world.carrier.push({ ...submission(TO.sms, "accepts", "taken")[0]!, ref: "msg_second" }),
  ],
  [
    "a message is submitted with another text",
    /one reference per message/u,
    (world) => (world.carrier[0]!["text"] = "Somebody else's words"),
  ],
  [
    "a message is submitted without a signature",
    /one reference per message/u,
    (world) => (world.carrier[0]!["signed"] = false),
  ],
  [
    "a message is submitted twice at once, by the request that stored it and by a consumer",
    /submitted again only after a certain no/u,
    (world) => {
      const [first, second] = [1_150, 1_160].flatMap((at) => submission(TO.sms, "accepts", "taken", at));
      world.carrier.push(first!, second!);
    },
  ],
  [
    "a message is submitted again before the gateway has said no",
    /submitted again only after a certain no/u,
    (world) => world.carrier.push(...submission(TO.limited, "accepts", "taken", 1_180)),
  ],
  [
    "a message is submitted after its refund",
    /nothing is submitted after its refund/u,
    (world) => world.carrier.push(...submission(TO.expired, "accepts", "taken", 47_000)),
  ],
  [
    "a claim that was given back counts as an attempt",
    /saw every attempt/u,
    (world) => set(world, TO.bulkOne, { attempts: 2 }),
  ],
  [
    "a claim that was given back stays in the timeline",
    /saw every attempt/u,
    (world) => {
      set(world, TO.bulkOne, { attempts: 2 });
      retell(world, TO.bulkOne, ([queued, sending, ...more]) => [queued!, sending!, queued!, sending!, ...more]);
    },
  ],
  ["a submission counts as no attempt", /saw every attempt/u, (world) => set(world, TO.limited, { attempts: 1 })],
  [
    "an acknowledged message never reaches the gateway, without a fault in its time",
    /saw every attempt/u,
    (world) => interrupt(world, TO.sms),
  ],
  [
    "an acknowledged message never reaches the gateway, and the clock leapt before it was ordered",
    /saw every attempt/u,
    (world) => (interrupt(world, TO.sms), leap(world, 500)),
  ],
  [
    "an acknowledged message never reaches the gateway, and the clock leapt by less than its window",
    /saw every attempt/u,
    (world) => (interrupt(world, TO.sms), leap(world, 1_300, 9_000)),
  ],
  [
    "an acknowledged message never reaches the gateway, nor do others of its claim until the kill long after",
    /saw every attempt/u,
    (world) => (interrupt(world, TO.sms), fault(world, "kill", 12_000, 500)),
  ],
  [
    "a bulk's message fails as http_429 in its validity",
    /ends no message before its validity/u,
    (world) => {
      unsee(world, TO.bulkOne);
      world.carrier.push(...submission(TO.bulkOne, "limits", "busy"));
      set(world, TO.bulkOne, { error_code: "http_429" });
      put(world, TO.bulkOne, "failed");
      refund(world, TO.bulkOne);
    },
  ],
  [
    "a message's validity is ended early",
    /ends no message before its validity/u,
    (world) => retell(world, TO.expired, (timeline) => timeline.map((one) => ({ ...one, at: one.at % 40_000 }))),
  ],
  [
    "an undelivered receipt in the journal is lost, and the delivered one is not",
    /receipt that was acknowledged shows/u,
    (world) => retell(world, TO.twice, (timeline) => timeline.filter(({ state }) => state !== "undelivered")),
  ],
  [
    "a receipt in the journal is lost",
    /receipt that was acknowledged shows/u,
    (world) => {
      put(world, TO.bulkOne, "unconfirmed");
    },
  ],
  [
    "a message waits until it expires, while its account's later bulk is sent",
    /nothing is forgotten/u,
    (world) => {
      fault(world, "carrier_limit", 1_000, 5_000);
      addCampaign(world, 121, 5_000);
      for (const line of world.clients) {
        if (line["account"] === "campaign") line["account"] = "acc";
        else if (line["id"] === "20") line["at"] = Number(line["at"]) + 3_000;
      }
      const [own, campaign] = [world.books.accounts[0]!, world.books.accounts.at(-1)!];
      for (const message of campaign.messages) own.messages.push(message);
      set(world, TO.bulkTwo, { attempts: 0, error_code: "validity_ended" });
    },
  ],
  [
    "most messages expire because the pace never recovers",
    /most messages reach a gateway/u,
    (world) => {
      addCampaign(world, 120, 5_000);
      for (const message of world.books.accounts.at(-1)!.messages.slice(0, 40)) message["attempts"] = 0;
    },
  ],
  [
    "a message is never submitted until it expires",
    /nothing is forgotten/u,
    (world) => {
      put(world, TO.sms, "failed");
      messageTo(world, TO.sms)["attempts"] = 0;
    },
  ],
  ["a rejected message is delivered", /every state follows/u, (world) => put(world, TO.bulkTwo, "delivered")],
  [
    "an accepted message is unknown without a cause",
    /every state follows/u,
    (world) => put(world, TO.limited, "unknown"),
  ],
  [
    "a forged receipt is accepted",
    /forged and stale receipts are refused/u,
    (world) => world.carrier.push(...receipt(TO.sms, "delivered", 200, "forged")),
  ],
  ["a delivered receipt is ignored", /every state follows/u, (world) => put(world, TO.sms, "unconfirmed")],
  [
    "a state changes backwards",
    /every life goes the ways/u,
    (world) => {
      const states = ["queued", "sending", "delivered", "submitted", "delivered"];
      recordOf(world, TO.sms)["timeline"] = JSON.stringify(states.map((state) => ({ state, at: 0 })));
    },
  ],
  ["a message is not final", /every message is final/u, (world) => put(world, TO.limited, "submitted")],
];

it.each(SPOILS)("names the violated property when %s", (_what, finding, spoil) => {
  const world = smallWorld();
  spoil(world);
  expect(findingsOf(world).map(({ name }) => name)).toContainEqual(expect.stringMatching(finding));
});

it.each([
  [
    "a kill explains why a message never reached the gateway",
    (world: World) => (interrupt(world, TO.sms), fault(world, "kill", 1_300, 500)),
  ],
  [
    "a message waits behind others of its claim, which reach the gateway until the service is killed",
    (world: World) => {
      interrupt(world, TO.sms);
      const { message_id: ref } = messageTo(world, TO.twice);
      for (const line of world.carrier) if (line["ref"] === ref) line["at"] = Number(line["at"]) + 6_000;
      fault(world, "kill", 12_000, 500);
    },
  ],
  [
    "the clock leaps over the window of a message that waits for its permit",
    (world: World) => (interrupt(world, TO.sms), leap(world, 1_300)),
  ],
])("finds nothing where %s", (_what, change) => {
  const world = smallWorld();
  change(world);
  expect(findingsOf(world)).toEqual([]);
});

/** A world whose gateway recognises references: an unknown outcome was submitted again. */
function recognising(): World {
  const world = smallWorld();
  world.config["dedupes"] = true;
  world.carrier.push(...submission(TO.otp, "hangs", "nothing", 5_000));
  set(world, TO.otp, { attempts: 2 });
  return world;
}

it("does not ask for an unknown outcome again whose validity a leap of the clock ended before its submission", () => {
  const world = recognising();
  world.carrier.pop();
  set(world, TO.otp, { attempts: 1 });
  leap(world, 1_050);
  expect(findingsOf(world)).toEqual([]);
});

it("lets an unknown outcome be submitted again where the gateway recognises references", () => {
  expect(findingsOf(recognising())).toEqual([]);
});

it.each([
  [
    "a known outcome is submitted again",
    /submitted again only after a certain no/u,
    (world: World) => {
      world.carrier.push(...submission(TO.voice, "accepts", "taken", 2_000));
      set(world, TO.voice, { attempts: 2 });
    },
  ],
  [
    "an unknown outcome is not submitted again",
    /an unknown outcome is submitted again/u,
    (world: World) => {
      world.carrier.pop();
      set(world, TO.otp, { attempts: 1 });
    },
  ],
  [
    "a message stays unknown that the gateway took at last",
    /every state follows/u,
    (world: World) => {
      world.carrier.pop();
      world.carrier.push(...submission(TO.otp, "accepts", "taken", 5_000));
    },
  ],
])("names the violated property where references are recognised and %s", (_what, finding, spoil) => {
  const world = recognising();
  spoil(world);
  expect(findingsOf(world).map(({ name }) => name)).toContainEqual(expect.stringMatching(finding));
});

it.each([
  ["the clock leapt over the window of an attempt on its way", 46_000, false],
  ["the clock leapt long before", 30_000, true],
])("judges what was submitted after its refund where %s", (_what, leapsMs, isFound) => {
  const world = smallWorld();
  leap(world, leapsMs);
  world.carrier.push(...submission(TO.expired, "accepts", "taken", 47_000));
  const names = findingsOf(world).map(({ name }) => name);
  expect(names.some((name) => /nothing is submitted after its refund/u.test(name))).toBe(isFound);
});
