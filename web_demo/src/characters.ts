/** Tables of characters as classes of regular expressions: those of devices differ by years. */

/** Returns a code point as it stands in a class. */
export const escaped = (point: number): string => `\\u{${point.toString(16)}}`;

/** Returns a table as what stands in a class: it has the ends of ranges, each as its distance from the one before, to base 36. */
function ranges(table: string): string {
  let point = 0;
  return table.replace(/\w+/g, (distance) => escaped((point += parseInt(distance, 36)))).replaceAll(" ", "");
}

/** What separates tokens. */
export const SEPARATORS = ranges(
  "0-12 2-7 b-6 r-5 r-1a 2-9 2-3 2-4 o w cr-3 d-d 46 9 6-1 2 cz-5 16-6 1b 2 3 3 19-1 c-f c-4 23-3 2v i8-1 yi g " +
  "b-1 1lx 1vk-o 2-2cl e9-3j a9-k 4-o g 6-1 6-2 2p 2j wzp-6in u7-1 5d-v h-1r 40 2-5 2-7 b-6 r-5 r-a 3f-v " +
  "1535-267 45d-2db gvlt-47pb",
);

/** What is composed with a character before it, or put in order. */
export const MARKS = ranges(
  "lc-33 7o-4 7e-18 2 2-1 2-1 2 21-a 1d-k h 2u-6 3-5 3-1 2-3 10 v-q du h 4-3 2w 2 f a 2t h 33 h 33 2 f 9-1 2v f " +
  "a 3a 8-1 2u 6 b 8-1 2w f a 37 5 g 2h-2 e-3 31-1 f-3 25-1 s 2 2 1k-1 2 6-3 3 2-2 2-1 1r 2w 9 2-1 87-k 1f-q " +
  "174 b 4st-5 2y-1 1404",
);

/** What marks compose with. */
export const BASES = ranges(
  "1t-ha 5z-6z 9-4l 6r-14 10-2v fk-1g v-7 2w l-1 2 2c 3 z-2 3 6h l-1 1h 1g-1 3j 3d 7 4 3g-1 42-3 g9 63-i 2jy-e6 " +
  "37s-28 7-2o oar-8mb",
);

/** What stands for other characters, without marks. */
export const COMPOSED = ranges(
  "n4-1 2-1 1c 15w-7 3h-3 2c-3 z-5 72-1 rq-3a 33s-3w 16v7-d5 1w-1d 2she-f1",
);

/** What an emoji begins with. */
export const PICTOGRAPHS = ranges(
  "4p 5 68e d 61 n 2j-5 g-1 a8-1 d 2o 1z q-a 5-2 5k 6g-1 b a 1n-3 2-5 2-b 2-35 b-39 3-a 2 2 7 4 7 b-1 g 3 5 2 " +
  "5-2 2 c-4 1a-2 a f f ad-1 cw-2 k-1 1g 5 yj d gq 2 2fzb-73 e-2 w 1p-5 d-1 f 3-9 j-1k s-e b l 3-8 2-3 a-c1 " +
  "6-8t 9-7d 1d-3j 39-b 2e-16 d-3 1l-7 b-5 15-7 v-29 d-1a 2-9 2-c8 75-sd",
);

const PIECES = new RegExp(`[${BASES}${COMPOSED}]?[${MARKS}]{1,30}|[${COMPOSED}]`, "gu");

/** Returns a text in which what can be composed is: in Unicode's form C, as far as all devices agree on it. */
export const composed = (text: string): string =>
  /[^\0-\u02ff]/.test(text) ? text.replace(PIECES, (piece) => piece.normalize()) : text;
