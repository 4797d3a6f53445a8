/** Order of texts by their UTF-8 bytes, which equals code-point order and differs from JavaScript's UTF-16 order. */

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Ranks surrogates (which stand for code points from U+10000) after U+E000…U+FFFF, the order of UTF-8. */
function rank(unit: number): number {
  if (unit < SURROGATES) return unit;
  return unit >= AFTER_SURROGATES ? unit - 0x800 : unit + 0x2000;
}

/** Compares two well-formed texts by their UTF-8 bytes; negative, zero or positive like a sort comparator. */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}
