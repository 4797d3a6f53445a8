const UNITS = "kMGTPE";

/** `999 B`, `1.0 kB`, `8.4 MB`: powers of 1000, as the data server's own tool shows sizes. */
export function humanBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  return `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1]}B`;
}
