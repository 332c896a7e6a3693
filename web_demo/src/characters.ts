/**
 * Tables of characters, independent of the platform: the tables of two devices can differ by years.
 *
 * Each is the content of a character class in a regular expression.
 */

/** Returns the form of a code point in a class. */
export const escaped = (point: number): string => `\\u{${point.toString(16)}}`;

/** Returns the content of a class for a table of hexadecimal code points and ranges. */
const ranges = (table: string): string => table.replace(/[0-9A-F]+/g, "\\u{$&}").replace(/ /g, "");

/** What separates tokens. */
export const SEPARATORS = ranges(
  // Controls, space, and punctuation up to the apostrophe.
  "0000-0026 " +
  "0028-002F 003A-0040 005B-0060 007B-00A9 00AB-00B4 00B6-00B9 00BB-00BF 00D7 00F7 " +
  // Spacing modifier symbols.
  "02C2-02C5 02D2-02DF " +
  // Greek, Cyrillic, Armenian, Hebrew and Arabic punctuation.
  "0375 037E 0384-0385 0387 055A-055F 0589-058F 05BE 05C0 05C3 05C6 05F3-05F4 0600-060F 061B-061F 066A-066D 06D4 " +
  // Devanagari, Thai, Ogham.
  "0964-0965 0E3F 0E4F 0E5A-0E5B 1680 " +
  // General punctuation except the right single quotation mark, currency, arrows, mathematics, dingbats.
  "2000-2018 201A-2BFF 2E00-2E7F " +
  // Ideographic punctuation.
  "2FF0-3004 3008-3020 3030 3036-3037 303D-303F 30A0 30FB " +
  // Surrogates and private use.
  "D800-F8FF FD3E-FD3F " +
  // Variation selectors, vertical, compatibility and small forms, the byte order mark, full-width punctuation.
  "FE00-FE1F FE30-FE6F FEFF FF01-FF06 FF08-FF0F FF1A-FF20 FF3B-FF40 FF5B-FF65 FFE0-FFFF " +
  // Musical and mathematical symbols, tiles, emoji, tags, private use.
  "1D000-1DAFF 1F000-1FBFF E0000-10FFFF",
);

/** Code points that change with the text before them when a text is composed. */
export const MARKS = ranges(
  "0300-036F 0483-0487 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0610-061A 064B-065F 0670 06D6-06DC 06DF-06E4 " +
  "06E7-06E8 06EA-06ED 0711 0730-074A 093C 094D 0951-0954 09BC 09BE 09CD 09D7 0A3C 0A4D 0ABC 0ACD 0B3C 0B3E " +
  "0B4D 0B56-0B57 0BBE 0BCD 0BD7 0C4D 0C55-0C56 0CBC 0CC2 0CCD 0CD5-0CD6 0D3E 0D4D 0D57 0DCA 0DCF 0DDF " +
  "0E38-0E3A 0E48-0E4B 0EB8-0EB9 0EC8-0ECB 0F18-0F19 0F35 0F37 0F39 0F71-0F72 0F74 0F7A-0F7D 0F80 0F82-0F84 " +
  "0F86-0F87 0FC6 102E 1037 1039-103A 1161-1175 11A8-11C2 17D2 17DD 302A-302F 3099-309A FB1E",
);

/** What marks compose with. */
export const BASES = ranges(
  "0041-02AF 0386-0481 048A-052F 0622-064A 066E-06D5 0905-0939 0958-095F 09C7 09DC-09DD 09DF 0A33 0A36 " +
  "0A59-0A5B 0A5E 0B47 0B5C-0B5D 0B92 0BC6-0BC7 0C46 0CBF 0CC6 0CCA 0D46-0D47 0DD9-0DDC 1025 1100-1112 " +
  "1E00-1FFE 3046-3096 309D-30FD AC00-D7A3",
);

/** Code points that change by themselves, and some between them. */
export const COMPOSED = ranges(
  "0340-0341 0343-0344 0374 0958-095F 09DC-09DF 0A33-0A36 0A59-0A5E 0B5C-0B5D 0F43-0FB9 1F71-1FFD F900-FAD9 " +
  "FB1D-FB4E 2F800-2FA1D",
);

/** Letters and digits in another form: ligatures, full and half width, styled, circled, Arabic's. */
export const STYLED = ranges(
  "0132-0133 0149 01C4-01CC 01F1-01F3 2102 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2131 " +
  "2133-2134 24B6-24E9 FB00-FB06 FB13-FB17 FB50-FBB1 FBD3-FC5D FC64-FD3D FD50-FD8F FD92-FDC7 FDF0-FDF9 " +
  "FE80-FEFC FF10-FF19 FF21-FF3A FF41-FF5A FF66-FF9F 1D400-1D7FF 1F130-1F149",
);

/** Invisible code points: soft hyphens, marks without width, of direction, and for a character's appearance. */
export const INVISIBLE = ranges("00AD 034F 061C 200B-200F 202A-202E 2060-206F FE00-FE0F FEFF E0100-E01EF");

/** Accents and quotation marks that many people type as an apostrophe. Between two letters, they count as one. */
export const LOOKALIKES = "`\u00b4\u055a\u2018\u201b\u2032\uff40";

/** Code points that an emoji begins with: Unicode's Extended_Pictographic, which includes reserved ones. */
export const PICTOGRAPHS = ranges(
  "00A9 00AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 24C2 " +
  "25AA-25AB 25B6 25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721 2728 " +
  "2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 " +
  "2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 1F17E-1F17F 1F18E " +
  "1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F3FA 1F400-1F53D 1F546-1F64F " +
  "1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F 1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A " +
  "1F93C-1F945 1F947-1FAFF 1FC00-1FFFD",
);
