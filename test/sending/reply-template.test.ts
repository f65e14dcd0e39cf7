import { describe, expect, it, vi } from "vitest";
import { fillTemplate, slot } from "../../src/sending/reply-template.ts";
import type { ReplyTemplate } from "../../src/sending/reply-template.ts";

const template: ReplyTemplate = {
  success: true,
  message: "The SMS is queued.",
  coins_used: slot("spent"),
  coins_remaining: slot("remaining"),
  details: {
    phone: "9876543210",
    cost: slot("spent"),
    new_balance: slot("balance"),
    inner: { id: slot("message_id") },
  },
};

const outcome = { spent: 2_500, balance: 148_500, messageId: () => "msg_1" };

describe("a reply's template", () => {
  it("is filled at every depth, in its own order", () => {
    expect(JSON.stringify(fillTemplate(template, outcome))).toBe(
      '{"success":true,"message":"The SMS is queued.","coins_used":0.25,"coins_remaining":14,' +
        '"details":{"phone":"9876543210","cost":0.25,"new_balance":14.85,"inner":{"id":"msg_1"}}}',
    );
  });

  it("gives the same bytes after it was stored", () => {
    const stored = JSON.parse(JSON.stringify(template)) as ReplyTemplate;
    expect(JSON.stringify(fillTemplate(stored, outcome))).toBe(JSON.stringify(fillTemplate(template, outcome)));
  });

  it("makes no message id unless a slot needs it", () => {
    const messageId = vi.fn(() => "msg_1");
    fillTemplate({ success: true, coins_used: slot("spent") }, { ...outcome, messageId });
    expect(messageId).not.toHaveBeenCalled();
  });
});
