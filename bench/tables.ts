/** Tables as docs/performance.md has them. */

/** Prints a table to standard output. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  console.log([line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n"));
}

/** Says how far a benchmark is, on standard error. */
export function log(text: string): void {
  console.error(text);
}

/** A number without decimals, with separators. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
