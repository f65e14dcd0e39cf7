// The text of a one-time password: how it is written, recognized and masked.

/** The text of a one-time password. */
export function otpText(brand: string, otp: string): string {
  return `${otp} is your one-time password for ${brand}. Do not share it with anyone.`;
}

const OTP_TEXT = new RegExp(
  `^${otpText("<brand>", "<code>")
    .replaceAll(".", String.raw`\.`)
    .replace("<code>", String.raw`(\d{4,8})`)
    .replace("<brand>", "(.+)")}$`,
  "su",
);

export interface OtpParts {
  code: string;
  brand: string;
}

/** The code and the brand in a text that `otpText` wrote; null for any other text. */
export function readOtpText(text: string): OtpParts | null {
  const [, code, brand] = OTP_TEXT.exec(text) ?? [];
  return code === undefined || brand === undefined ? null : { code, brand };
}

/** The same with the code masked, also where the brand repeats the code. */
export function maskOtp({ code, brand }: OtpParts): OtpParts {
  const masked = "•".repeat(code.length);
  return { code: masked, brand: brand.replaceAll(code, masked) };
}
