/** Sizes: `1 MiB`, `16KiB`, `1.5 GB`, or a plain number of bytes. */

const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 1],
  ["kb", 1e3],
  ["mb", 1e6],
  ["gb", 1e9],
  ["kib", 2 ** 10],
  ["mib", 2 ** 20],
  ["gib", 2 ** 30],
]);

const SYNTAX = /^(\d+(?:\.\d+)?)\s*([kmg]?i?b)?$/iu;

/** Returns the bytes of a size text; undefined for another text and for a size that is no whole number of bytes. */
export function parseBytes(text: string): number | undefined {
  const [, amount, unit] = SYNTAX.exec(text) ?? [];
  const size = UNITS.get((unit ?? "").toLowerCase());
  if (amount === undefined || size === undefined) return undefined;
  const bytes = Number(amount) * size;
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Returns a size as text in the largest binary unit that divides it; as a number where none does. */
export function formatBytes(bytes: number): string | number {
  for (const unit of ["GiB", "MiB", "KiB"]) {
    const size = UNITS.get(unit.toLowerCase()) as number;
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${unit}`;
  }
  return bytes;
}
