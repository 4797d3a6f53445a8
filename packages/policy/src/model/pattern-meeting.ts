/** Intersection of two wildcard patterns, for the analysis of policies. Decisions do not use it. */

const STAR = "*";
const ANY = "?";

/** Positions in `right` that can be reached without reading more of the left side: a star may match the empty text. */
function closure(right: string, reached: Uint8Array): void {
  for (let index = 0; index < right.length; index++) {
    if (reached[index] === 1 && right[index] === STAR) reached[index + 1] = 1;
  }
}

/** Positions in the right side after a star of the left side: every position at or after the reached ones. */
function afterStar(reached: Uint8Array): Uint8Array {
  const next = new Uint8Array(reached.length);
  const first = reached.indexOf(1);
  if (first >= 0) next.fill(1, first);
  return next;
}

/** Positions in the right side after one character of the left side. */
function afterCharacter(left: string, right: string, reached: Uint8Array): Uint8Array {
  const next = new Uint8Array(reached.length);
  for (let index = 0; index < right.length; index++) {
    if (reached[index] !== 1) continue;
    const unit = right[index];
    if (unit === STAR) next[index] = 1;
    else if (unit === ANY || left === ANY || unit === left) next[index + 1] = 1;
  }
  return next;
}

/**
 * True if some text matches both patterns (`*` any run, `?` one character, the rest literal). If one side has no
 * wildcards, this is ordinary matching. Characters are UTF-16 units, which is exact for the ASCII names of actions and
 * services. Time is the product of the lengths.
 */
export function patternsMeet(left: string, right: string): boolean {
  let reached: Uint8Array = new Uint8Array(right.length + 1);
  reached[0] = 1;
  closure(right, reached);
  for (const character of left.split("")) {
    reached = character === STAR ? afterStar(reached) : afterCharacter(character, right, reached);
    closure(right, reached);
  }
  return reached[right.length] === 1;
}
