import { expect, it } from "vitest";
import { T0, refOf } from "../../torture/small-books.ts";
import type { Row } from "../../torture/small-books.ts";
import { fault } from "../../torture/small-changes.ts";
import { GATEWAY, ROUTED, SMPP, SPARE, TEMPLATE, given, smallRoutedWorld, told } from "../../torture/small-routed.ts";
import { TO, conclusionOf, findingsOf } from "../../torture/small-world.ts";
import type { World } from "../../torture/small-world.ts";

// The checker of `npm run torture -- --carriers 3` must find each of these violations of what holds for several carriers.

const timelineOf = ({ books }: World, to: string): Row[] =>
  books.timelines.find(({ ref }) => ref === refOf(to))?.timeline ?? [];

/** Takes a message's lines of one carrier out of the log. */
function unsee(world: World, carrier: string, to: string): void {
  const gone = world.carrier.filter(
    (line) => line["t"] === "submission" && line["carrier"] === carrier && line["to"] === to,
  );
  const numbers = new Set(gone.map(({ n }) => n));
  world.carrier = world.carrier.filter((line) => !numbers.has(line["n"] as never));
}

/** A carrier's answer to a message becomes another one. */
function answer(world: World, carrier: string, to: string, fields: Row): void {
  const line = world.carrier.find((one) => one["t"] === "submission" && one["carrier"] === carrier && one["to"] === to);
  Object.assign(line ?? {}, fields);
}

const SPOILS: [what: string, finding: RegExp, spoil: (world: World) => void][] = [
  [
    "a message goes to another carrier although the first one took it",
    /only after a certain no of each before/u,
    (world) => answer(world, TEMPLATE, ROUTED.fellBack, { decision: "accepts", tells: "taken" }),
  ],
  [
    "a message goes to another carrier although the first one never answered",
    /only after a certain no of each before/u,
    (world) => answer(world, TEMPLATE, ROUTED.fellBack, { decision: "hangs", tells: "nothing" }),
  ],
  [
    "a message goes to another carrier before the first one has answered",
    /only after a certain no of each before/u,
    (world) => {
      const { n } = world.carrier.find((one) => one["carrier"] === TEMPLATE && one["to"] === ROUTED.fellBack) ?? {};
      const line = world.carrier.find((one) => one["t"] === "answered" && one["n"] === n);
      Object.assign(line ?? {}, { at: T0 + 1_400 });
    },
  ],
  [
    "a message is rejected by one carrier and goes to another",
    /only after a certain no of each before/u,
    (world) => answer(world, SMPP, ROUTED.alsoFellBack, { decision: "rejects", tells: "rejected" }),
  ],
  [
    "a message of unknown outcome goes to another carrier after a later no of its own",
    /only after a certain no of each before/u,
    (world) => world.carrier.unshift(...given(TEMPLATE, ROUTED.fellBack, "hangs", "nothing", 1_050)),
  ],
  [
    "a call goes to a carrier that no route names for calls",
    /the routes in force name for it/u,
    (world) => world.carrier.push(...given(TEMPLATE, TO.voice, "accepts", "taken", 1_150)),
  ],
  [
    "a carrier that stands in no route is given a message",
    /the routes in force name for it/u,
    (world) => world.carrier.push({ t: "astray", at: T0, carrier: SPARE }),
  ],
  [
    "a message goes to a carrier that is out, and had another one",
    /does not go to one that is out/u,
    (world) => world.carrier.push(...given(TEMPLATE, ROUTED.direct, "accepts", "taken", 13_500)),
  ],
  [
    "an attempt is in the timeline, and its carrier did not see it",
    /every attempt in the timelines happened/u,
    (world) => unsee(world, TEMPLATE, ROUTED.fellBack),
  ],
  [
    "an attempt that happened is not in the timeline",
    /every attempt in the timelines happened/u,
    (world) => timelineOf(world, ROUTED.fellBack).splice(1, 2),
  ],
  [
    "an attempt is in the timeline as another carrier's",
    /every attempt in the timelines happened/u,
    (world) => Object.assign(timelineOf(world, ROUTED.direct)[1] ?? {}, { carrier: SMPP }),
  ],
  [
    "attempts are not counted over all carriers",
    /every attempt in the timelines happened/u,
    (world) => Object.assign(timelineOf(world, ROUTED.fellBack)[3] ?? {}, { attempt: 1 }),
  ],
  [
    "a state is by a carrier that never had the message",
    /every attempt in the timelines happened/u,
    (world) => Object.assign(timelineOf(world, ROUTED.direct)[3] ?? {}, { carrier: SPARE }),
  ],
  [
    "a receipt of a carrier that never had the message counts",
    /never had the message, .* change nothing/u,
    (world) => {
      timelineOf(world, ROUTED.direct).push({
        state: "failed",
        at: new Date(T0 + 1_800).toISOString(),
        carrier: SPARE,
      });
    },
  ],
  [
    "a carrier is submitted to while its Retry-After runs",
    /silence while a Retry-After of a carrier/u,
    (world) =>
      world.carrier.push(
        ...given(SMPP, TO.sms, "limits", "busy", 24_000, 5_000),
        ...given(SMPP, TO.sms, "accepts", "taken", 26_000),
      ),
  ],
  [
    "the rate that the operator set for a carrier is exceeded",
    /the rate set for a carrier/u,
    (world) => (world.config["rates"] = { [TEMPLATE]: 0.1 }),
  ],
];

it.each(SPOILS)("names the violated property when %s", (_what, finding, spoil) => {
  const world = smallRoutedWorld();
  spoil(world);
  expect(findingsOf(world).map(({ name }) => name)).toContainEqual(expect.stringMatching(finding));
});

it("finds nothing in a world with several carriers in which everything is right", () => {
  expect(findingsOf(smallRoutedWorld())).toEqual([]);
  expect(conclusionOf(smallRoutedWorld())).toMatchObject({ proved: true });
});

it.each([
  [
    "a message goes to a carrier that is out because the others are out too",
    (world: World) => {
      for (const { states } of world.routing as { states?: Row }[]) {
        if (states?.[TEMPLATE] === "out") Object.assign(states, { [GATEWAY]: "out", [SMPP]: "out" });
      }
      world.carrier.push(...given(TEMPLATE, ROUTED.direct, "accepts", "taken", 13_500));
    },
    /does not go to one that is out/u,
  ],
  [
    "a message tried a carrier, which has been out since then",
    (world: World) => {
      for (const line of world.routing) {
        line["since"] = { [TEMPLATE]: Number(line["at"]) < T0 + 13_500 ? "before" : "after" };
      }
      world.carrier.push(...given(TEMPLATE, ROUTED.direct, "hangs", "nothing", 13_400));
    },
    /does not go to one that is out/u,
  ],
  [
    "a service that was killed does not know that a carrier is out",
    (world: World) => {
      fault(world, "kill", 11_000, 500);
      world.carrier.push(...given(TEMPLATE, ROUTED.direct, "accepts", "taken", 13_500));
    },
    /does not go to one that is out/u,
  ],
  [
    "a consumer that died did not tell its attempt",
    (world: World) => {
      fault(world, "kill", 1_150, 500);
      timelineOf(world, ROUTED.fellBack).splice(1, 2);
      Object.assign(timelineOf(world, ROUTED.fellBack)[1] ?? {}, { attempt: 1 });
    },
    /every attempt in the timelines happened/u,
  ],
])("finds nothing where %s", (_what, change, finding) => {
  const world = smallRoutedWorld();
  change(world);
  expect(findingsOf(world).map(({ name }) => name)).not.toContainEqual(expect.stringMatching(finding));
});

it.each([
  ["no routes changed", (world: World) => (world.routing = world.routing.filter(({ t }) => t !== "done"))],
  [
    "no breaker opened",
    (world: World) => {
      for (const line of world.routing) {
        if (line["t"] === "health") line["states"] = { [GATEWAY]: "up", [TEMPLATE]: "up", [SMPP]: "up" };
      }
    },
  ],
  [
    "a carrier told of none of its messages",
    (world: World) => {
      world.carrier = world.carrier.filter((line) => line["t"] !== "receipt" || line["carrier"] !== SMPP);
    },
  ],
  [
    "nothing was told by a carrier that never had the message",
    (world: World) => {
      world.carrier = world.carrier.filter((line) => line["fault"] !== "foreign");
    },
  ],
])("does not call proved what was not exercised: %s", (_what, change) => {
  const world = smallRoutedWorld();
  change(world);
  const { proved, text } = conclusionOf(world);
  expect(proved).toBe(false);
  if (text.startsWith("NOT PROVED")) expect(text).toContain("routes changed, messages fell back");
});

it("keeps what a carrier tells apart from what another one tells", () => {
  const world = smallRoutedWorld();
  world.carrier.push(...told(SMPP, ROUTED.direct, "failed", 200, "foreign", 1_650));
  expect(findingsOf(world)).toEqual([]);
});
