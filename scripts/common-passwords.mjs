// Packs the passwords and words that guessers try first into src/sign-in/common-passwords.json. The list comes from
// @zxcvbn-ts/language-common 4.1.3 (MIT; made from public leaks, most common first), which only this script needs:
//   npm install --no-save @zxcvbn-ts/language-common@4.1.3 && node scripts/common-passwords.mjs
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { GAP_BITS, placeOf } from "../src/sign-in/common-passwords.ts";
import { coresOf, isMobile, isPattern, plain } from "../src/sign-in/guessable.ts";
import { ROOT } from "./local.mjs";

const LIST = "node_modules/@zxcvbn-ts/language-common/src/passwords.json";
const TARGET = "src/sign-in/common-passwords.json";

/** The file must stay below 20 kB: about 15 bits for each entry, in Base64. */
const SIZE = 7_900;

const PASSWORD_LENGTH_MIN = 10;
const WORD_LENGTH_MIN = 4;

/** Words that Indian passwords begin with, and that a list of English leaks ranks too low. */
const INDIAN =
  "india bharat hindustan namaste namaskar jaihind jaishriram jaimatadi jaibajrangbali omnamahshivaya radhakrishna radheradhe krishna ganesh ganesha lakshmi saraswati hanuman shiva mahadev sairam saibaba waheguru allah bismillah mumbai delhi kolkata chennai bangalore bengaluru hyderabad pune jaipur lucknow kanpur nagpur indore patna gujarat rajasthan maharashtra punjab kerala tamilnadu bollywood cricket sachin tendulkar dhoni kohli virat rohit sharma kumar singh gupta patel verma yadav khan reddy raja rani rahul priya pooja neha rajesh suresh ramesh mahesh ganpati mummy papa mummypapa maapaa mylove meradil dilse pyaar zindagi dost yaar admin administrator welcome changeme default company office student teacher mobile internet whatsapp facebook instagram google youtube gmail paytm dastak secret passcode passphrase login master".split(
    " ",
  );

/** The words of all passwords, most common first. */
function wordsOf(list) {
  const words = new Set(INDIAN);
  for (const password of list) {
    for (const core of coresOf(password)) if (/^[a-z]+$/u.test(core) && core.length >= WORD_LENGTH_MIN) words.add(core);
  }
  return [...words];
}

/** The passwords that are long enough, and that neither a rule nor one of the words refuses. */
function longOf(list, words) {
  const long = list.filter((password) => [...password].length >= PASSWORD_LENGTH_MIN && !isMobile(plain(password)));
  const rest = long.filter(
    (password) => !isPattern(plain(password)) && !coresOf(password).some((core) => words.has(core)),
  );
  return new Set(rest.map(plain));
}

/** The entries to store: every long password, and as many words as there is room for. */
function entriesOf(list) {
  const words = wordsOf(list);
  for (let room = SIZE; ; room -= 10) {
    const commonest = new Set(words.slice(0, room));
    const long = longOf(list, commonest);
    if (long.size + room <= SIZE) return [...new Set([...long, ...commonest])];
  }
}

/** The Golomb code of the entries, in Base64: each gap's quotient in ones and a zero, then its last GAP_BITS bits. */
function pack(entries) {
  const places = [...new Set(entries.map((entry) => placeOf(entry, entries.length)))].toSorted(
    (one, other) => one - other,
  );
  let bits = "";
  let before = 0;
  for (const place of places) {
    const gap = place - before;
    bits +=
      "1".repeat(Math.floor(gap / 2 ** GAP_BITS)) + "0" + (gap % 2 ** GAP_BITS).toString(2).padStart(GAP_BITS, "0");
    before = place;
  }
  const bytes = bits.match(/.{1,8}/gu)?.map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2)) ?? [];
  return { count: places.length, data: Buffer.from(bytes).toString("base64") };
}

const list = JSON.parse(readFileSync(path.resolve(ROOT, process.argv[2] ?? LIST), "utf8"));
const entries = entriesOf(list);
const { count, data } = pack(entries);
writeFileSync(path.join(ROOT, TARGET), `${JSON.stringify({ size: entries.length, count, data }, null, 2)}\n`);
console.log(`${entries.length} entries, ${data.length} characters`);
