/**
 * Members of JSON objects that are there more than once. `JSON.parse` keeps the last and hides the others; another
 * reader may keep the first, or take names that differ in letter case for one, as Go does (security.md §2.7).
 */

import { visit } from "jsonc-parser";
import { type Problem, pointTo } from "../errors.ts";

interface OpenObject {
  readonly seen: Set<string>;
  /** True where names count as one if they differ in letter case only. */
  readonly caseless: boolean;
}

/** Most problems that are reported: a body of nothing else would make an answer larger than itself. */
const MAX_PROBLEMS = 100;

/**
 * Members that repeat one before them, by JSON pointer: at most the first hundred.
 * @param text valid JSON of bounded depth
 * @param caseless members of the outermost object in whose values letter case makes no difference
 */
export function repeatedMembers(text: string, caseless: ReadonlySet<string>): Problem[] {
  const problems: Problem[] = [];
  const open: OpenObject[] = [];
  let outermost = "";
  visit(text, {
    onObjectBegin: () => {
      open.push({ seen: new Set(), caseless: open.length > 0 && caseless.has(outermost) });
    },
    onObjectEnd: () => {
      open.pop();
    },
    onObjectProperty: (name, _offset, _length, _line, _character, path) => {
      const object = open.at(-1) as OpenObject;
      if (open.length === 1) outermost = name;
      const key = object.caseless ? folded(name) : name;
      if (!object.seen.has(key)) object.seen.add(key);
      else if (problems.length < MAX_PROBLEMS) {
        const pointer = [...path(), name].reduce<string>(pointTo, "");
        problems.push({ pointer, message: object.caseless ? "repeated, ignoring letter case" : "repeated" });
      }
    },
  });
  return problems;
}

/** One text for all that are equal under case folding; a few more than those, such as `ß` and `ss`. */
function folded(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}
