// The text of a one-time password: how it is written, recognized and masked. What is stored is always the service's own
// text, in which code and brand are found again; the text that goes out may be another one, of which the message's content
// has the pieces (contract §17.1).

/** A piece of a text: fixed text, or the place of the code (0) or of the brand (1). */
type OtpPiece = string | 0 | 1;

/** The text of a one-time password: the service's own, or that of an account's pieces. */
export function otpText(brand: string, otp: string, pieces?: readonly OtpPiece[]): string {
  if (pieces) return pieces.map((piece) => (typeof piece === "string" ? piece : piece === 0 ? otp : brand)).join("");
  return `${otp} is your one-time password for ${brand}. Do not share it with anyone.`;
}

/** The text that goes out, of one that was stored. */
export function outgoingText(stored: string, pieces: readonly OtpPiece[] | undefined): string {
  const sent = pieces && readOtpText(stored);
  return sent ? otpText(sent.brand, sent.code, pieces) : stored;
}

const OTP_TEXT = new RegExp(
  `^${otpText("<brand>", "<code>")
    .replaceAll(".", String.raw`\.`)
    .replace("<code>", String.raw`(\d{4,10})`)
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
