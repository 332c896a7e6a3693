/** Tables of characters as classes of regular expressions: those of devices differ by years. */

/** Returns a code point as it stands in a class. */
export const escaped = (point: number): string => `\\u{${point.toString(16)}}`;

/**
 * Returns a table as what stands in a class.
 *
 * It has numbers, most of one character: the last digit, of 72, is "#" to "j", those before it, of 20, "k" to "~". A
 * range is twice the distance of its start from where the one before ends, and 1 more if it has several code points:
 * then the distance of its own end follows.
 */
function ranges(table: string): string {
  let [point, number, isOpen] = [0, 0, false];
  let result = "";
  for (const character of table) {
    const digit = character.charCodeAt(0) - 35;
    if (digit >= 72) {
      number = 20 * number + digit - 72;
      continue;
    }
    number = 72 * number + digit;
    point += isOpen ? number : number >> 1;
    result += (isOpen ? "-" : "") + escaped(point);
    isOpen = !isOpen && number % 2 > 0;
    number = 0;
  }
  return result;
}

/** What separates tokens. */
export const SEPARATORS = ranges(
  "$I(*:)Z(ZQ(,(&('ScwZ&>0o/50$'wj(l0)l9'))l6$<2<'m*&ma}4$lyGC:$m|enrL;(mm8y6lZu67,;C0$0%mUmIm~rVp|:lu2$p>BFbo#" +
  "(((*:)Z(Z-nBBnx~.l~*rt>mmRmyxx^q{uR",
);

/** What is composed with a character before it, or put in order. */
export const MARKS = ranges(
  "ll<lJrT'r@O'($($'m&-l>7Em`)*(*$(&l#b=x_E,&mc'A7m]En)En)'A6$maA7n74$m_/94$mcA7n1-CmF%@&n&$B&m.$[''lL$'0&)(%($" +
  "lYmc5($s27lB=mn+9sw^(mh$nwk+",
);

/** What marks compose with. */
export const BASES = ranges(
  "l^sQpjnF6m8qZKl$lBzLWb*mcN$'m;)j%)qEN$lElD$nIn=1+nD$o(&{5q*5ovhr)pz\\l+2l;mnyZrz.",
);

/** What stands for other characters, without marks. */
export const COMPOSED = ranges(
  "ln,$($l;mld*nF&m<&j(r($lrXlQpv\\lgn|n2qLldTtk|@rH",
);

/** Letters and digits in another form: ligatures, full and half width, styled, circled, Arabic's. */
export const STYLED = ranges(
  "sH$OnB+l&%vka4,','1''(&(%($lohVn{mB)>'lNl<hle2n$Jb*Xl.,nZlWL,4<2<<\\nzu6y2s~.<",
);

/** What nobody sees: soft hyphens, marks without width, of direction, and of how a character looks. */
export const INVISIBLE = ranges("o]}W~etoB'Z'l@2n}zN2qSm~ok&n:");

/** Accents and quotation marks, which many type as an apostrophe: they are one between two letters. */
export const LOOKALIKES = "`\xb4\u055a\u2018\u201b\u2032\uff40";

/** What an emoji begins with. */
export const PICTOGRAPHS = ranges(
  "oU-vo?=q%QmJ(D$u4$=mSliX-.%pKqD$97lR&(((.(lL:lP*-''1+1:$C)-'.%'<'l8%7AAu>$wd%L$lC-lyI={W'r}r:nJ@%clV(>$A*,J[" +
  "\\19M*+(&8q$0o@6nTl>lZn6.m@M>&lN*:(l.*bl,>Q(,(q+r.y0",
);

const PIECES = new RegExp(`[${BASES}${COMPOSED}]?[${MARKS}]{1,30}|[${COMPOSED}]`, "gu");

/** Returns a text in which what can be composed is: in Unicode's form C, as far as all devices agree on it. */
export const composed = (text: string): string =>
  /[^\0-\u02ff]/.test(text) ? text.replace(PIECES, (piece) => piece.normalize()) : text;
