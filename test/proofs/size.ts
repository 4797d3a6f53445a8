/** Sizes of the proofs: small ones in every run of the tests, the whole ones with `npm run prove`. */

/** True with `npm run prove`. */
export const isWhole = process.env["PROVE"] === "1";

/** The size of this run. */
export function sized(small: number, whole: number): number {
  return isWhole ? whole : small;
}

/** Prints a figure of a whole run. */
export function report(text: string): void {
  if (isWhole) process.stdout.write(`${text}\n`);
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
