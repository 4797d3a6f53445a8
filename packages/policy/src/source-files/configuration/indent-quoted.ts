/**
 * Indents the lines of quoted texts that YAML 1.2 wants deeper than their key, and that the data server's reader takes as
 * they are. A quoted text folds its lines, so that the blanks at their beginning are no part of the value.
 */

const KEY = /^(?<indent> *)(?:- +)*(?:[\w.-]+|"[^"]*"|'[^']*') *: +(?<quote>["'])/;
const ITEM = /^(?<indent> *)(?:- +)+(?<quote>["'])/;
const BLOCK = /^(?<indent> *)(?:- +)*(?:[\w.-]+ *: +)?[|>][+\-\d]* *(?:#.*)?$/;

/**
 * Returns the text with such lines indented. Lines stay lines, so that places in the text are right but for the columns of
 * those lines; every other line is returned as it is.
 */
export function indentQuoted(text: string): string {
  let open: { readonly quote: string; readonly indent: string } | undefined;
  let block: number | undefined;
  const lines = text.split("\n").map((line) => {
    if (open !== undefined) {
      const { quote, indent } = open;
      if (closes(line, quote)) open = undefined;
      return line.trim() === "" || line.startsWith(`${indent} `) ? line : `${indent}  ${line.trimStart()}`;
    }
    const depth = line.length - line.trimStart().length;
    if (block !== undefined && (line.trim() === "" || depth > block)) return line;
    block = BLOCK.exec(line)?.groups?.["indent"]?.length;
    const found = KEY.exec(line) ?? ITEM.exec(line);
    const { indent = "", quote = "" } = found?.groups ?? {};
    if (found !== null && !closes(line.slice(found[0].length), quote)) open = { quote, indent };
    return line;
  });
  // A text without its closing quote is read as it was, so that the fault has its place.
  return open === undefined ? lines.join("\n") : text;
}

/** Whether a quoted text ends in a line that continues it. */
function closes(rest: string, quote: string): boolean {
  return quote === "'" ? /'(?!')/.test(rest.replaceAll("''", "")) : /^(?:[^"\\]|\\.)*"/.test(rest);
}
