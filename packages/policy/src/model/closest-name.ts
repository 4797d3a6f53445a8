/** "Did you mean": the known name that a mistyped one is closest to. */

/** Longer texts are not compared: they are not misspelt items. */
const LONGEST = 80;

/** ` (did you mean x?)`, or nothing when no known name is close enough. */
export function suggestion(name: string, known: Iterable<string>): string {
  const closest = closestName(name, known);
  return closest === undefined ? "" : ` (did you mean ${closest}?)`;
}

/** The known name within a few typing errors of `name`, the closest one; else one that begins or ends with it. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LONGEST) return undefined;
  const lower = name.toLowerCase();
  const allowed = Math.max(2, Math.floor(name.length / 4));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best !== undefined && bestDistance < name.length) return best;
  return [...known].find((one) => one.startsWith(`${lower}_`) || one.endsWith(`.${lower}`));
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let least = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) least = Math.min(least, beforeLast[column - 2]! + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] as number;
}
