import { DEFAULT_RATE_CARD, storedCardSchema } from "../money/pricing.ts";
import type { RateCard } from "../money/pricing.ts";
import { KeptSetting, SETTING_AGE_MS_MAX } from "../kept/setting.ts";
import type { SettingBindings, SettingWaits } from "../kept/setting.ts";

// The operator's rate card: a setting that each isolate keeps, so that pricing waits for nothing.

/** A card that was looked for so long ago, in ms, is not used before R2 was asked: the bound after which a change applies. */
export const CARD_AGE_MS_MAX = SETTING_AGE_MS_MAX;

const rateCard = new KeptSetting<RateCard>({
  key: "settings/rate-card.json",
  cache: "rate-card",
  copyPath: "/operator/rate-card",
  title: "rate card",
  read: (stored) => storedCardSchema.parse(stored),
  otherwise: DEFAULT_RATE_CARD,
  unreadable: "The prices cannot be read at the moment; repeat the request.",
});

/**
 * The current prices. An isolate that knows them answers at once, and looks for newer ones beside the request. Without any
 * (no copy in the cache, and R2 away) the request fails: 503.
 */
export const currentRateCard = (env: SettingBindings, ctx: SettingWaits): Promise<RateCard> =>
  rateCard.current(env, ctx);

/** The card as it is stored, for the operator who is to change it; the last one known where R2 is away. */
export const storedRateCard = (env: SettingBindings, ctx: SettingWaits): Promise<RateCard> => rateCard.stored(env, ctx);

/** Replaces the card: here at once, everywhere after CARD_AGE_MS_MAX at the latest. */
export const writeRateCard = (bucket: R2Bucket, card: RateCard): Promise<void> => rateCard.replace(bucket, card);
