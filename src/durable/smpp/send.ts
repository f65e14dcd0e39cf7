import type { Outcome } from "../../model/message.ts";
import type { SmppSubmitted } from "../../smpp/answers.ts";
import type { Pdu } from "../../smpp/pdu.ts";
import { outcomeOfStatus } from "../../smpp/statuses.ts";
import { messageIdIn } from "../../smpp/units.ts";
import type { Answer, Link } from "./link.ts";

// One attempt at a message: all of its parts over one connection.

/** What an attempt needs. */
export interface Sending {
  link: Pick<Link, "submit">;
  /** The bodies of its parts. */
  bodies: readonly Uint8Array[];
  /** How long it may wait for its place in the window, and for a later part to be taken, in ms. */
  waitMs: number;
  /** The carrier took a part under this id. Called before the attempt ends, or once a late answer comes. */
  given: (id: string, nth: number, isLate: boolean) => void;
}

/** The gaps between tries of a later part, in ms. */
const AGAIN_MS = [500, 1_000, 2_000, 4_000];

interface Part {
  outcome: Outcome;
  pdu: Pdu | null;
}

function outcomeOf(answer: Answer): Outcome {
  switch (answer.kind) {
    case "answer":
      return outcomeOfStatus(answer.pdu.status);
    case "lost":
      return { kind: "unknown", code: answer.code };
    case "not_sent":
      return { kind: "not_accepted", code: answer.code };
  }
}

async function submitPart({ link, bodies, waitMs, given }: Sending, at: number): Promise<Part> {
  const answer = await link.submit(bodies[at] ?? new Uint8Array(0), waitMs, ({ status, body }, isLate) => {
    const id = status === 0 ? messageIdIn(body) : null;
    if (id !== null) given(id, at + 1, isLate);
  });
  return { outcome: outcomeOf(answer), pdu: answer.kind === "answer" ? answer.pdu : null };
}

/** A part after the first: where the carrier does not take it now, it is tried again, since the first is taken. */
async function submitLater(sending: Sending, at: number): Promise<Part> {
  const untilMs = Date.now() + sending.waitMs;
  for (const gap of AGAIN_MS) {
    const part = await submitPart(sending, at);
    if (part.outcome.kind !== "not_accepted" || Date.now() + gap > untilMs) return part;
    await new Promise((resolve) => setTimeout(resolve, gap));
  }
  return submitPart(sending, at);
}

/** What became of the whole: a message of which only some parts were taken is not one that may be sent again. */
function together([first, ...later]: readonly [Part, ...Part[]]): Outcome {
  const outcomes = later.map(({ outcome }) => outcome);
  const rejected = outcomes.find(({ kind }) => kind === "rejected");
  if (rejected) return rejected;
  const open = outcomes.find(({ kind }) => kind !== "submitted");
  if (!open) return first.outcome;
  return { kind: "unknown", code: "code" in open ? open.code : "incomplete" };
}

/** Submits a message once. The first part goes alone: what it is answered speaks for all. Never throws. */
export async function sendParts(sending: Sending): Promise<SmppSubmitted> {
  const first = await submitPart(sending, 0);
  const rest = sending.bodies.slice(1);
  const later =
    first.outcome.kind === "submitted" ? await Promise.all(rest.map((_, at) => submitLater(sending, at + 1))) : [];
  const { pdu } = later.findLast((part) => part.pdu !== null) ?? first;
  const outcome = together([first, ...later]);
  return { outcome, commandStatus: pdu?.status ?? null, messageId: pdu ? messageIdIn(pdu.body) : null };
}
