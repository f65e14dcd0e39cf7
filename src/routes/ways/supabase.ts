import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";
import { PRODUCT } from "../../config/settings.ts";
import { hookSecret, readHook, unlistedSecretOfHook } from "../../crypto/hook.ts";
import { isSigned } from "../../crypto/webhook-signature.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { acceptBody, bodyUpTo, jsonBody, readBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { STATUS_OF_CODE, UNAUTHORIZED, fail } from "../../http/errors.ts";
import type { ErrorCode, Failure } from "../../http/errors.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import type { Ordered } from "../../sending/ordering.ts";
import { placeOrder } from "../../sending/send-order.ts";
import { otpText } from "../../text/otp-text.ts";
import { isIndian, readPhone } from "../../text/phones.ts";
import { orderOtp } from "../otp/send-otp.ts";
import { orderSms } from "./one-sms.ts";

// Supabase Auth's Send SMS hook (contract §15), as its internal/hooks and internal/api have it in version 2.196.0.

const LATER = "The code could not be sent. Please try again later.";

/**
 * What the person who waits for the code reads; null for a failure that only a developer can mend. Supabase shows them a
 * message of a reply with 200 alone, and supabase-js drops that of a 5xx.
 */
function forPerson({ code, param }: Failure): { http_code: number; message: string } | null {
  switch (code) {
    // Not a 429: Supabase repeats that at once, twice, and shows nothing of it.
    case "rate_limited":
    case "otp_limited":
      return { http_code: 429, message: "Too many codes are being sent. Please try again in a few minutes." };
    case "insufficient_balance":
    case "spend_cap_reached":
    case "account_suspended":
    case "dlt_mismatch":
    case "dlt_header":
    case "dlt_hours":
      return { http_code: 422, message: LATER };
    case "permission_denied":
    case "country_not_allowed":
      return { http_code: 422, message: "Codes cannot be sent to phone numbers of this country." };
    case "number_blocked":
      return { http_code: 422, message: "This phone number cannot get a code." };
    case "invalid_request":
      // The hook's brand is too long for the account's own text.
      if (param === "brandName") return { http_code: 422, message: LATER };
      if (param !== "phone") return null;
      return { http_code: 422, message: "This phone number cannot get a code. Check it, with its country code." };
    default:
      return null;
  }
}

const ENDED = "The API key of this hook was revoked or has expired. Create a new hook.";
const UNSIGNED = "The signature does not hold. Check the hook's secret, and the clock of your server.";

/** Supabase repeats a 503 with Retry-After at once, and no other status. */
const statusOf = (code: ErrorCode) => (code === "idempotency_in_progress" ? 503 : STATUS_OF_CODE[code]);

/** A failure in the shape that Supabase Auth reads. */
function hookFailure(c: Context<AppEnv>, failure: Failure): Response {
  const said = forPerson(failure);
  if (said) return c.json({ error: said });
  const status = statusOf(failure.code);
  const message = failure.code !== "unauthorized" ? failure.error : c.get("key") ? ENDED : UNSIGNED;
  return c.json({ error: { http_code: status, message } }, status);
}

/** Requires a hook of this service in the address, and its signature over the body; sets its key. */
const hookSigned: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.set("failureAs", hookFailure);
  acceptBody(c);
  const text = c.req.param("hook") ?? "";
  const secrets = settings(c).KEY_SECRET;
  const hook = readHook(secrets, "supabase", text);
  if (!hook && unlistedSecretOfHook(secrets, text) === null) fail("not_found", "There is no such hook.");
  c.set("refusedKey", text);
  const { text: body } = await readBody(c, () => undefined);
  if (!hook || !isSigned(hookSecret(secrets, hook), c.req.raw.headers, body, Date.now())) {
    const { code, error, headers = {} } = UNAUTHORIZED;
    return fail(code, error, { headers });
  }
  c.set("key", hook.key);
  if (hook.brand !== null) c.set("brand", hook.brand);
  await next();
};

/** A payload has a whole user, whose metadata the customer's own code writes. */
const PAYLOAD_BYTES_MAX = 256 * 1024;

const given = (name: string) => z.string(`${name} must be a string.`).nullish();

/** What is read of Supabase's payload. Its codes have 6 to 10 digits. */
const payload = z.object(
  {
    user: z.object(
      { id: z.string("user.id must be a string."), phone: given("user.phone"), new_phone: given("user.new_phone") },
      "user must be an object.",
    ),
    sms: z.object(
      {
        otp: z.string("sms.otp must be a string.").regex(/^[0-9]{4,10}$/u, "sms.otp must have 4 to 10 digits."),
        phone: given("sms.phone"),
        sms_type: given("sms.sms_type"),
      },
      "sms must be an object.",
    ),
  },
  "The body must be a JSON object.",
);

/**
 * The number that the code is for, in E.164. Supabase Auth before 2.180.0 has no `sms.phone`: then it is known only where
 * the user has one number and the code is for no second factor. To any other number the code could open the account.
 */
function numberOf({ user, sms }: z.output<typeof payload>): string {
  const known = new Set([user.phone, user.new_phone].filter((phone) => (phone ?? "") !== ""));
  const only = known.size === 1 && (sms.sms_type ?? "") === "" ? [...known][0] : null;
  const phone = (sms.phone ?? "") === "" ? only : sms.phone;
  if ((phone ?? null) === null) {
    return fail("invalid_request", "sms.phone is missing; Supabase Auth sends it since 2.180.0.", { param: "sms" });
  }
  // Supabase keeps numbers in E.164 without +: one of ten digits is another country's, or its country code is missing.
  const read = readPhone(`+${String(phone).replace(/^\+/u, "")}`, "texted");
  return read.ok ? read.number : fail("invalid_request", "The number is not one that gets an SMS.", { param: "phone" });
}

/** The order of a code: an OTP to an Indian mobile, and an SMS with the same text to any other number. */
async function orderOf(c: Context<AppEnv>, phone: string, otp: string): Promise<Ordered> {
  const brandName = c.get("brand") ?? PRODUCT;
  if (isIndian(phone)) return orderOtp({ phone: phone.slice(3), otp, brandName });
  const message = otpText(brandName, otp);
  return orderSms({ phone, message }, {}, await currentRateCard(c.env, c.executionCtx));
}

/** `POST /hooks/supabase/:hook`: sends a code of Supabase Auth, once per user, number and code (contract §15). */
export const supabaseHook = (app: Api) =>
  app.post("/hooks/supabase/:hook", bodyUpTo(PAYLOAD_BYTES_MAX), hookSigned, jsonBody(payload), async (c) => {
    const body = c.req.valid("json");
    const phone = numberOf(body);
    const { otp } = body.sms;
    // Each of Supabase's attempts has another webhook-id. The NUL keeps it apart from what a header can say.
    c.set("idempotencyKey", `${c.req.path}\0${JSON.stringify([body.user.id, phone, otp])}`);
    const { order, reply } = await orderOf(c, phone, otp);
    // The usual reply to an OTP says it again.
    await placeOrder(c, {}, order, { ...reply, template: {} });
    return c.json({});
  });

export const docs = {
  "POST /hooks/supabase/:hook": { leftOut: "Supabase Auth calls it, and signs it with the hook's secret." },
} satisfies Docs;
