/** "Did you mean this?" for words that are no command. */

import type { Command } from "commander";
import { closestName } from "../../config/suggest.ts";

/** Lines that name the commands a word may have stood for; none where nothing is close. */
export function suggestCommand(program: Command, word: string): readonly string[] {
  const names = program.commands.map((command) => command.name());
  const found = new Set(names.filter((name) => name.startsWith(word.toLowerCase())));
  const closest = closestName(word, names);
  if (closest !== undefined) found.add(closest);
  return found.size === 0 ? [] : ["", "Did you mean this?", ...[...found].map((name) => `\t${name}`), ""];
}
