import { words } from "../view.ts";

/** The operator's words for what is recounted, owed, disputed and noted. */
export const deskMoney = words(
  {
    toAccount: "Back to the account",
    orders: "Orders",
    refunded: "Refunded",
    within: (entries: string) => `Not finished: checked up to entry ${entries} of`,
  },
  {
    toAccount: "खाते पर लौटें",
    orders: "ऑर्डर",
    refunded: "रिफ़ंड हुआ",
    within: (entries: string) => `अभी बाकी है: एंट्री ${entries} तक जाँच हुई, खाता`,
  },
);
