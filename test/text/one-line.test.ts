import { describe, expect, it } from "vitest";
import { isDeceptive, oneLine } from "../../src/text/one-line.ts";
import { expectFailure } from "../world/operating.ts";
import { atTheDesk } from "../world/operators.ts";
import { base64, wav } from "../world/recordings.ts";
import { visit } from "../world/visitor.ts";
import { messagesOf, openWorld, operator, post } from "../world/world.ts";

// Names that people give never turn the direction of the text beside them, wherever they are given.

/** Every control of direction (UAX #9), a line break, and a control character. */
const UNSEEN = [..."\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\n\u0007"];

/** A name that reads as "invoice.mp3" where it is shown, and is an other one. */
const TURNED = "invoice\u202e3pm.exe\u202c";

it("takes only what is not shown from a name: other scripts and emoji stay", () => {
  for (const letter of UNSEEN) {
    expect(isDeceptive(`a${letter}b`), letter).toBe(true);
    expect(oneLine(`${letter} a${letter}${letter}b `), letter).toBe("a b");
  }
  // Joiners shape Devanagari and emoji; they change no direction.
  for (const name of ["आशा", "क्‍ष", "نسيم", "Zoë 👩‍👩‍👧", "O'Neil & Co. (2)"]) {
    expect(isDeceptive(name), name).toBe(false);
    expect(oneLine(name)).toBe(name);
  }
});

describe("the API refuses", () => {
  it.each(UNSEEN)("%j in a fileName", async (letter) => {
    const world = await openWorld();
    const body = { fileName: `a${letter}b.wav`, base64Data: base64(wav({ seconds: 1 })) };
    const reply = await post("http://voice.localhost/api/upload-voice", body, { "x-api-key": world.apiKey });
    expectFailure(reply, 400, "invalid_request", { param: "fileName" });
  });

  it.each(UNSEEN)("%j in a brandName", async (letter) => {
    const world = await openWorld();
    const body = { apiKey: world.apiKey, phone: "9876543210", otp: "0482", brandName: `Shop${letter}9999` };
    expectFailure(await post("http://otp.localhost/send-otp", body), 400, "invalid_request", { param: "brandName" });
    expect(await messagesOf(world)).toEqual([]);
  });

  it.each(UNSEEN)("%j in the names that the operator gives", async (letter) => {
    const { ref } = await openWorld();
    const name = `A${letter}b`;
    for (const path of ["/operator/accounts", `/operator/accounts/${ref.accountId}/keys`]) {
      expectFailure(await operator("POST", path, { name }), 400, "invalid_request", { param: "name" });
    }
  });
});

describe("a page stores it on one line", () => {
  it("as the name of a person, a buyer, a key and a recording", async () => {
    const { visitor, world } = await visit();
    await visitor.submit("/settings/name", { name: TURNED });
    const buyer = { buyer_name: TURNED, buyer_address: `1 Road\u2067\n${TURNED}`, buyer_state: "29", buyer_gstin: "" };
    await visitor.submit("/settings/buyer", buyer);
    await visitor.submit("/keys", { name: TURNED, once: "once_12345678" });
    const form = new FormData();
    form.set("once", "once_12345678");
    form.set("file", new File([wav({ seconds: 1 })], `${TURNED}.wav`));
    expect((await visitor.submit("/recordings", form)).status).toBe(303);
    for (const path of ["/settings", "/keys", "/recordings"]) {
      const { text } = await visitor.get(path);
      expect(text, path).toContain("invoice 3pm.exe");
      expect(text, path).not.toMatch(/\p{Bidi_Control}/u);
    }
    expect((await world.stub.recordings(null, 1))?.[0]?.name).toBe("invoice 3pm.exe .wav");
  });

  it("as the name of an account that is opened at the desk", async () => {
    const desk = await atTheDesk();
    const mark = crypto.randomUUID();
    const page = await desk.submit("/desk/accounts", { name: `${mark}\u202eb`, plan: "starter", once: "o" });
    expect(page.text).toContain(`${mark} b`);
    expect(page.text).not.toMatch(/\p{Bidi_Control}/u);
  });
});
