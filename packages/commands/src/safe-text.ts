/** Text of others on our output: what a server sends must not steer somebody's terminal. */

/** Controls, and what turns the direction of writing. */
const STEERING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Colours of our own, and their end (`packages/svcctl/src/style.ts`). */
const COLOUR = new RegExp(`${"\u001b"}\\[(?:0|1|9[1-4])m`, "g");

function visible(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** One line: every control character is made visible. */
export function safeText(text: string): string {
  return text.replace(STEERING, visible);
}

/** A message, which may have several lines and tabs in them. */
export function safeMessage(text: string): string {
  return text.replace(STEERING, (character) =>
    character === "\n" || character === "\t" ? character : visible(character),
  );
}

/** As {@link safeMessage}, with the colours that our own output has. */
export function safeColored(text: string): string {
  const parts = text.split(COLOUR).map(safeMessage);
  const colours = text.match(COLOUR) ?? [];
  return parts.map((part, index) => part + (colours[index] ?? "")).join("");
}
