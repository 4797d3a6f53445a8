/**
 * Members of JSON objects that are there more than once. `JSON.parse` keeps the last and hides the others; another
 * reader may keep the first, or take names that differ in letter case for one, as Go does (spec/security §2.7).
 */

import { type Problem, pointTo } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { endOfString } from "./large-json.ts";

/** An array or object that has begun. */
interface Open {
  /** The names so far; undefined for an array. */
  readonly seen: Set<string> | undefined;
  /** True where names count as one if they differ in letter case only. */
  readonly caseless: boolean;
  /** The name or index of the member that is being read. */
  member: string | number;
  /** True where the next string is the name of a member. */
  expectsName: boolean;
}

/** Most problems that are reported: a body of nothing else would make an answer larger than itself. */
const MAX_PROBLEMS = 100;

const SCANNED_PER_STEP = 32 << 10;
/** Characters of text that a member costs besides its own: its name is kept. */
const PER_MEMBER = 50;

/**
 * Members that repeat one before them, by JSON pointer: at most the first hundred.
 * @param text valid JSON of bounded depth
 * @param caseless members of the outermost object in whose values letter case makes no difference
 */
export function repeatedMembers(text: string, caseless: ReadonlySet<string>): Problem[] {
  const steps = repeatedMembersInSteps(text, caseless);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As {@link repeatedMembers}, to be run in steps: for long texts. */
export function* repeatedMembersInSteps(
  text: string,
  caseless: ReadonlySet<string>,
): Generator<undefined, Problem[]> {
  const problems: Problem[] = [];
  const open: Open[] = [];
  let scanned = 0;
  for (let at = 0; at < text.length; at++) {
    const before = at;
    const inside = open.at(-1);
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        if (inside?.expectsName === true) {
          note(parseJsonText(text.slice(at, end + 1)) as string, open, problems);
          scanned += PER_MEMBER;
        }
        at = end;
        break;
      }
      case "{":
      case "[": {
        const isObject = text[at] === "{";
        open.push({
          seen: isObject ? new Set() : undefined,
          caseless:
            inside !== undefined && (inside.caseless || (open.length === 1 && isIn(caseless, inside))),
          member: 0,
          expectsName: isObject,
        });
        break;
      }
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (inside?.seen !== undefined) inside.expectsName = true;
        else if (inside !== undefined) inside.member = (inside.member as number) + 1;
        break;
    }
    scanned += at - before + 1;
    if (scanned >= SCANNED_PER_STEP) {
      scanned = 0;
      yield;
    }
  }
  return problems;
}

function isIn(caseless: ReadonlySet<string>, { seen, member }: Open): boolean {
  return seen !== undefined && caseless.has(member as string);
}

/** Notes the name of a member of the innermost object. */
function note(name: string, open: readonly Open[], problems: Problem[]): void {
  const object = open.at(-1) as Open;
  object.member = name;
  object.expectsName = false;
  const seen = object.seen as Set<string>;
  const key = object.caseless ? folded(name) : name;
  if (!seen.has(key)) seen.add(key);
  else if (problems.length < MAX_PROBLEMS) {
    const pointer = open.map(({ member }) => member).reduce<string>(pointTo, "");
    problems.push({ pointer, message: object.caseless ? "repeated, ignoring letter case" : "repeated" });
  }
}

/** One text for all that are equal under case folding; a few more than those, such as `ß` and `ss`. */
function folded(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}
