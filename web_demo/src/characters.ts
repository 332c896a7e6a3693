/** Tables of characters as classes of regular expressions: those of devices differ by years. */

/** Returns ranges of code points, in hexadecimal, as what stands in a class. */
const ranges = (hexadecimal: string): string => hexadecimal.replace(/[0-9A-F]+/g, "\\u{$&}").replaceAll(" ", "");

/** Returns a code point as it stands in a class. */
export const escaped = (point: number): string => `\\u{${point.toString(16)}}`;

/** What separates tokens. */
export const SEPARATORS = ranges(
  "0-26 28-2F 3A-40 5B-60 7B-A9 AB-B4 B6-B9 BB-BF D7 F7 2C2-2C5 2D2-2DF 375 37E 384-385 387 55A-55F 589-58F " +
    "5BE 5C0 5C3 5C6 5F3-5F4 600-60F 61B-61F 66A-66D 6D4 964-965 E3F E4F E5A-E5B 1680 2000-2018 201A-2BFF " +
    "2E00-2E7F 2FF0-3004 3008-3020 3030 3036-3037 303D-303F 30A0 30FB D800-F8FF FD3E-FD3F FE00-FE1F FE30-FE6F " +
    "FEFF FF01-FF06 FF08-FF0F FF1A-FF20 FF3B-FF40 FF5B-FF65 FFE0-FFFF 1D000-1DAFF 1F000-1FBFF E0000-10FFFF",
);

/** What is composed with a character before it, or put in order. */
export const MARKS = ranges(
  "300-36F 483-487 591-5BD 5BF 5C1-5C2 5C4-5C5 5C7 610-61A 64B-65F 670 6D6-6DC 6DF-6E4 6E7-6E8 6EA-6ED 711 " +
    "730-74A 93C 94D 951-954 9BC 9BE 9CD 9D7 A3C A4D ABC ACD B3C B3E B4D B56-B57 BBE BCD BD7 C4D C55-C56 CBC CC2 " +
    "CCD CD5-CD6 D3E D4D D57 DCA DCF DDF E38-E3A E48-E4B EB8-EB9 EC8-ECB F18-F19 F35 F37 F39 F71-F72 F74 F7A-F7D " +
    "F80 F82-F84 F86-F87 FC6 102E 1037 1039-103A 1161-1175 11A8-11C2 17D2 17DD 302A-302F 3099-309A FB1E",
);

/** What marks compose with. */
export const BASES = ranges(
  "41-2AF 386-481 48A-52F 622-64A 66E-6D5 905-939 958-95F 9C7 9DC-9DD 9DF A33 A36 A59-A5B A5E B47 B5C-B5D " +
    "B92 BC6-BC7 C46 CBF CC6 CCA D46-D47 DD9-DDC 1025 1100-1112 1E00-1FFE 3046-3096 309D-30FD AC00-D7A3",
);

/** What stands for other characters, without marks. */
export const COMPOSED = ranges(
  "340-341 343-344 374 958-95F 9DC-9DF A33-A36 A59-A5E B5C-B5D F43-FB9 1F71-1FFD F900-FAD9 FB1D-FB4E 2F800-2FA1D",
);

const PIECES = new RegExp(`[${BASES}${COMPOSED}]?[${MARKS}]{1,30}|[${COMPOSED}]`, "gu");

/** Returns a text in which what can be composed is: in Unicode's form C, as far as all devices agree on it. */
export const composed = (text: string): string =>
  /[^\0-\u02ff]/.test(text) ? text.replace(PIECES, (piece) => piece.normalize()) : text;
