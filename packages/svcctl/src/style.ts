/** Colours of svcctl's messages, with the codes of spec/management-cli §1. */

/** Colours text. If colours are off, every function returns its argument unchanged. */
export interface Style {
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  bold(text: string): string;
}

const plain = (text: string): string => text;
const painter =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;

/** No colours at all. */
export const PLAIN: Style = { red: plain, green: plain, yellow: plain, blue: plain, bold: plain };

/** Bright colours, and bold. */
export const COLORED: Style = {
  red: painter(91),
  green: painter(92),
  yellow: painter(93),
  blue: painter(94),
  bold: painter(1),
};
