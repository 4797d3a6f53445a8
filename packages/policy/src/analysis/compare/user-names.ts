/** User names to try for policies with `${user}`: names that no policy contains, and names that texts can spell. */

import { USER_PLACEHOLDER } from "../../engine/patterns/resource-pattern.ts";
import { freshCharacter } from "./pattern-language.ts";
import type { Rule } from "./rules.ts";

const PREFERRED = "uUwWvVqQxXyYzZkKjJ0123456789_~";
/** Longest made-up name, in characters. */
const LONGEST = 32;
/** Most names that are spelled from one pair of resources. */
const MOST_SPELLED = 64;

/** True if a resource of the rule contains `${user}`. */
export function namesUser(rule: Rule): boolean {
  return rule.resources.some((resource) => resource.includes(USER_PLACEHOLDER));
}

/** Names that stand for all names that no policy contains. */
interface RepresentativeNames {
  readonly names: readonly string[];
  /** False if names of further lengths would be necessary. */
  readonly complete: boolean;
}

/**
 * Names that no policy names: of one character, and where patterns count characters (`?`) of every length up to one
 * more than they count, since only the length of such a name can matter.
 */
export function representativeNames(rules: readonly Rule[]): RepresentativeNames {
  const resources = rules.flatMap((rule) => rule.resources);
  const character = freshCharacter(resources, PREFERRED);
  if (!rules.some(namesUser)) return { names: [character], complete: true };
  const most = resources.reduce((found, resource) => Math.max(found, resource.split("?").length - 1), 0);
  const lengths = Array.from({ length: Math.min(LONGEST, most + 1) }, (_, index) => index + 1);
  return { names: lengths.map((length) => character.repeat(length)), complete: most < LONGEST };
}

function withoutRegion(resource: string): string {
  return resource.replace(/^(arn:[^:]*:[^:]*:)[^:]*:/, "$1:");
}

/** Positions in `pattern` after some text that `begin` matches. */
function reach(pattern: readonly string[], begin: readonly string[]): Set<number> {
  let reached = closed(pattern, new Set([0]));
  for (const character of begin) reached = closed(pattern, step(pattern, reached, character));
  return reached;
}

function step(pattern: readonly string[], from: ReadonlySet<number>, character: string): Set<number> {
  const next = new Set<number>();
  for (const place of from) {
    const token = pattern[place];
    if (character === "*") {
      for (let later = place; later <= pattern.length; later++) next.add(later);
    } else if (token === "*") next.add(place);
    else if (token !== undefined && (token === "?" || character === "?" || token === character))
      next.add(place + 1);
  }
  return next;
}

function closed(pattern: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) if (pattern[place] === "*") places.add(place + 1);
  return places;
}

/**
 * Names with which the template, a resource with `${user}`, can match what the other resource matches: the parts of
 * the other resource that one of the placeholders can stand for. `made` are runs of characters for its wildcards.
 */
function spelledBy(template: string, other: string, made: readonly string[]): Set<string> {
  const texts = withoutRegion(template).split(USER_PLACEHOLDER);
  const pattern = [...withoutRegion(other).replaceAll(USER_PLACEHOLDER, "*")];
  const names = new Set<string>();
  for (let at = 1; at < texts.length; at++) {
    const starts = reach(pattern, [...texts.slice(0, at).join("*")]);
    const backwards = reach([...pattern].reverse(), [...texts.slice(at).join("*")].reverse());
    for (const start of starts) {
      for (const place of backwards) {
        const part = pattern
          .slice(start, pattern.length - place)
          .join("")
          .replace(/\*+/g, "*");
        for (const run of ["", ...made]) {
          names.add(part.replaceAll("*", run).replaceAll("?", made[0] ?? ""));
        }
      }
    }
  }
  return names;
}

/**
 * Names of particular users for whom two rules may meet while they do not for a made-up name, the simplest first. Not
 * complete: not every name that does is among them.
 */
export function spelledNames(
  one: Pick<Rule, "resources">,
  other: Pick<Rule, "resources">,
  made: readonly string[],
): readonly string[] {
  const names = new Set<string>();
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    for (const template of from.resources.filter((resource) => resource.includes(USER_PLACEHOLDER))) {
      for (const resource of to.resources) {
        for (const name of spelledBy(template, resource, made)) names.add(name);
      }
    }
  }
  return [...names]
    .filter((name) => name !== "" && name !== "." && name !== ".." && !made.includes(name))
    .sort((a, b) => a.split("/").length - b.split("/").length || a.length - b.length)
    .slice(0, MOST_SPELLED);
}
