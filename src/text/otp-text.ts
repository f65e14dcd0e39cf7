// Sentences that more than one place says.

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

/** What `otpText` made a text of, or null where it is none of its texts. */
export function readOtpText(text: string): OtpParts | null {
  const [, code, brand] = OTP_TEXT.exec(text) ?? [];
  return code === undefined || brand === undefined ? null : { code, brand };
}

/** The same without a digit of the code, also where the brand repeats it. */
export function maskOtp({ code, brand }: OtpParts): OtpParts {
  const masked = "•".repeat(code.length);
  return { code: masked, brand: brand.replaceAll(code, masked) };
}
