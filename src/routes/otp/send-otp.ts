import * as z from "zod";
import { PRODUCT } from "../../config/settings.ts";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { SMS_LENGTH_MAX, apiKey, brandName, indianMobile, neverLater, otpCode } from "../../http/fields.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { ordering } from "../../sending/ordering.ts";
import type { Ordered } from "../../sending/ordering.ts";
import { otpReply } from "../../sending/replies.ts";
import { sendOrder } from "../../sending/send-order.ts";
import { otpText } from "../../text/otp-text.ts";

const schema = z.object({ phone: indianMobile("phone"), otp: otpCode, brandName, sendAt: neverLater, apiKey });

/** The order of an OTP; its price is the account's rate. */
export function orderOtp(body: Pick<z.output<typeof schema>, "phone" | "otp" | "brandName">): Ordered {
  const brand = body.brandName ?? PRODUCT;
  const order = {
    kind: "otp" as const,
    operation: "otp" as const,
    recipients: [`+91${body.phone}`],
    price: { kind: "otp" as const },
    content: {},
    text: otpText(brand, body.otp),
  };
  return { order, reply: otpReply(body.phone, brand, body.otp) };
}

/** An SMS with a one-time password. */
export const otpOrdering = ordering({
  schema,
  numbers: "phone",
  priced: null,
  text: { from: ["otp", "brandName"], max: SMS_LENGTH_MAX },
  example: { phone: "9876543210", otp: "0000" },
  order: orderOtp,
});

/** `POST /send-otp`: an SMS with the caller's own one-time password (contract §5.8). */
export const sendOtp = (app: Api) =>
  app.post(ENDPOINTS.otp.path, authenticate(...ENDPOINTS.otp.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const { order, reply } = orderOtp(body);
    return sendOrder(c, body, order, reply);
  });

export const docs = {
  "POST /send-otp": {
    id: "sendOtp",
    tag: "OTP",
    summary: "Send a one-time password",
    description: "Costs the plan's price of one OTP. The password is in this reply, and in no log or list.",
    reply: "OtpQueued",
    billable: true,
    matched: true,
    codes: ["otp_limited"],
  },
} satisfies Docs;
