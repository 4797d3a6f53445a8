/** The error for a word or flag that is given instead of a command. */

import { closestName } from "@svc-authorizer/policy/model/closest-name.ts";
import type { Command } from "commander";
import { UsageFailure, unknownFlagText } from "./failure.ts";
import { pathOf } from "./new-program.ts";

/**
 * Refuses the first word or flag after a group or a program; without one it does nothing.
 * @throws UsageFailure that names what was typed, and the command or flag that was probably meant
 */
export function refuseUnknownWord(group: Command): void {
  const [word] = group.args;
  if (word === undefined) return;
  if (word.startsWith("-")) throw unknownFlag(group, word);
  const hints = group.parent === null ? suggestions(group, word) : suggestion(group, word);
  throw new UsageFailure(`unknown command ${JSON.stringify(word)} for "${pathOf(group)}"`, [
    ...hints,
    `Run '${pathOf(group)} --help' for usage.`,
  ]);
}

function unknownFlag(group: Command, word: string): UsageFailure {
  const flag = word.replace(/=[\s\S]*$/, "");
  const known = group.options.flatMap(({ long }) => long ?? []);
  const meant = flag.startsWith("--") ? closestName(flag, known) : undefined;
  return new UsageFailure(unknownFlagText(word), meant === undefined ? [] : [`(Did you mean ${meant}?)`]);
}

function suggestion(group: Command, word: string): readonly string[] {
  const [first] = meantCommands(group, word);
  return first === undefined ? [] : [`Did you mean ${first}?`];
}

/** The block that the data server's own tool prints below the program itself (spec/management-cli §1). */
function suggestions(program: Command, word: string): readonly string[] {
  const found = meantCommands(program, word);
  return found.length === 0 ? [] : ["", "Did you mean this?", ...found.map((name) => `\t${name}`), ""];
}

/** Commands that begin with the word, and the one that it is most like. */
function meantCommands(group: Command, word: string): readonly string[] {
  const names = group
    .createHelp()
    .visibleCommands(group)
    .map((command) => command.name());
  const found = new Set(names.filter((name) => name.startsWith(word.toLowerCase())));
  const closest = closestName(word, names);
  if (closest !== undefined) found.add(closest);
  return [...found];
}
