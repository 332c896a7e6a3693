/** Tables of characters as classes of regular expressions: those of devices differ by years. */

/** Returns a code point as it stands in a class. */
export const escaped = (point: number): string => `\\u{${point.toString(16)}}`;

/**
 * Returns a table as what stands in a class.
 *
 * It has numbers to base 46: their last digits are "#" to "P", those before them "Q" to "~". A range is twice the
 * distance of its start from where the one before ends, and 1 more if it has several code points: then the distance of
 * its own end follows.
 */
function ranges(table: string): string {
  let [point, number, isOpen] = [0, 0, false];
  let result = "";
  for (const character of table) {
    const digit = character.charCodeAt(0) - 35;
    number = 46 * number + (digit % 46);
    if (digit >= 46) continue;
    point += isOpen ? number : number >> 1;
    result += (isOpen ? "-" : "") + escaped(point);
    isOpen = !isOpen && number % 2 > 0;
    number = 0;
  }
  return result;
}

/** What separates tokens. */
export const SEPARATORS = ranges(
  "$I(*:)R,(R,R#(,(&('R%R5dP&>0W;50$'e2(RJ)S%'))RP$<2<'T0&U9m<$RY#C:$R}AS^F;(Re,g2SFa&7,;C0$0%U-TOyd$T~@RR0$" +
  "Y6BFR4W/(((*:)R,(R,-V4BRU`,R`,VTHReFaY^0SQ{&",
);

/** What is composed with a character before it, or put in order. */
export const MARKS = ranges(
  "r6S6]$'\\>O'($($'T,-S*7EU8)*(*$(&R=R4=fAE,&U;'A7U5EUIEUI'A6$U9A7V)4$U7/94$U;A7V#-CTL%@&UF$B&T4$R-''S8$'0&)" +
  "(%($SEU;5($]J7S.=Rf99Vy:(U@$RTQ'",
);

/** What marks compose with. */
export const BASES = ranges(
  "SJ^;Z4V86T>[>KR>S.i4R)R4*U;N$'TA)R<%)[)N$S1S0$V;V/1+V6$W4&j7Z<5TVN\\'T|.RE2S'nt,V]J",
);

/** What stands for other characters, without marks. */
export const COMPOSED = ranges(
  "u,$($S'Rd>*V8&TB&R<(\\&$|6S=TuPT%RWh8[0SPR&SpU$\\F",
);

/** What an emoji begins with. */
export const PICTOGRAPHS = ranges(
  "X3-Xn-=Z7R#TP(D$a$$=U+T'R*-.%YC[($97S>&(((.(S8:S<*-''1+1:$C)-'.%'<'S$%7AAa.$e,%L$S/-RY%=k+'S`t<V<@%R5SB(>" +
  "$A*,JR-R.19M*+(&8Z60WL6VFS*SFV(.TFM>&S:*:(RH*R4RF>R#(,(Z=\\,g,",
);

const PIECES = new RegExp(`[${BASES}${COMPOSED}]?[${MARKS}]{1,30}|[${COMPOSED}]`, "gu");

/** Returns a text in which what can be composed is: in Unicode's form C, as far as all devices agree on it. */
export const composed = (text: string): string =>
  /[^\0-\u02ff]/.test(text) ? text.replace(PIECES, (piece) => piece.normalize()) : text;
