import * as z from "zod";
import { PRODUCT } from "../../config/settings.ts";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { apiKey, brandName, indianMobile, neverLater, otpCode } from "../../http/fields.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { otpReply } from "../../sending/replies.ts";
import { sendOrder } from "../../sending/send-order.ts";
import { otpText } from "../../text/otp-text.ts";

const schema = z.object({ phone: indianMobile("phone"), otp: otpCode, brandName, sendAt: neverLater, apiKey });

/** `POST /send-otp`: an SMS with the caller's own one-time password (contract §5.8). */
export const sendOtp = (app: Api) =>
  app.post(ENDPOINTS.otp.path, authenticate(...ENDPOINTS.otp.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const brand = body.brandName ?? PRODUCT;
    const order = {
      operation: "otp" as const,
      recipients: [`+91${body.phone}`],
      price: { kind: "otp" as const },
      content: {},
      text: otpText(brand, body.otp),
    };
    return sendOrder(c, body, order, otpReply(body.phone, brand, body.otp));
  });

export const docs = {
  "POST /send-otp": {
    id: "sendOtp",
    tag: "OTP",
    summary: "Send a one-time password",
    description: "Costs the plan's price of one OTP. The password is in this reply, and in no log or list.",
    reply: "OtpQueued",
    billable: true,
  },
} satisfies Docs;
