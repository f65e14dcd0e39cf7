import { words } from "../view.ts";

/** The operator's words for what is recounted, owed, disputed and noted. */
export const deskMoney = words(
  {
    within: (entries: string) => `Not finished: checked up to entry ${entries} of`,
  },
  {
    within: (entries: string) => `अभी बाकी है: एंट्री ${entries} तक जाँच हुई, खाता`,
  },
);
