const CODES = { red: 91, green: 92, yellow: 93, blue: 94, bold: 1 } as const;

/** `[green:text]` as the terminal gets it. */
export function painted(text: string): string {
  return text.replaceAll(
    /\[(red|green|yellow|blue|bold):([^\]]*)\]/g,
    (_, name: keyof typeof CODES, inner: string) => `\u001b[${CODES[name]}m${inner}\u001b[0m`,
  );
}

/** The same without colours. */
export function unpainted(text: string): string {
  return text.replaceAll(/\[(?:red|green|yellow|blue|bold):([^\]]*)\]/g, "$1");
}
