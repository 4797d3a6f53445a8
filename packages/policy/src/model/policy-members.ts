/**
 * The names of the members of policies and statements (spec/evaluation §11). Every way in reads them here: in any ASCII letter
 * case, as a data server does, and nothing that is not understood, since it may have been meant to restrict.
 */

import { type Problem, pointTo } from "../errors.ts";
import { closestName } from "./closest-name.ts";

/** The members of a statement, in the order in which they are stored. */
const STATEMENT_MEMBERS = ["sid", "effect", "action", "resource", "condition"] as const;

/** The members of a policy that this service reads. */
const POLICY_MEMBERS = ["name", "id", "statement", "acl", "accept", "creation_date"] as const;

/** Members of statements in other policy languages, all of which restrict what a statement grants. */
const FOREIGN_MEMBERS = [
  "conditions",
  "notaction",
  "notresource",
  "principal",
  "notprincipal",
  "expires",
] as const;

const OF_STATEMENTS: ReadonlySet<string> = new Set(STATEMENT_MEMBERS);
const OF_POLICIES: ReadonlySet<string> = new Set(POLICY_MEMBERS);
const FOREIGN: ReadonlySet<string> = new Set(FOREIGN_MEMBERS);

/** Labels under which refused members are counted: known names, and `other` for the rest. */
export const REFUSED_MEMBERS: readonly string[] = [
  ...STATEMENT_MEMBERS,
  ...POLICY_MEMBERS,
  ...FOREIGN_MEMBERS,
  "other",
];

/** Names that a mistyped member of a policy may be meant for; `sid` is too short to tell. */
const MOST_LIKELY: readonly string[] = ["statement", ...STATEMENT_MEMBERS.slice(1), ...FOREIGN_MEMBERS];

const KNOWN_LABELS: ReadonlySet<string> = new Set(REFUSED_MEMBERS);

/** Advice for members with which other policy languages restrict. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["notaction", ": name the actions, or deny those that are not meant"],
  ["notresource", ": name the resources, or deny those that are not meant"],
  ["principal", ": attach the policy to the users and groups that are meant"],
  ["notprincipal", ": attach the policy to the users and groups that are meant"],
  ["expires", ": write a condition, such as DateLessThan on context.time"],
]);

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A name in ASCII lower case: no other letter becomes one of ASCII. */
function folded(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The name of a member of policies or statements, written in any letter case; undefined for another text. */
export function memberName(written: string): string | undefined {
  const name = folded(written);
  return OF_STATEMENTS.has(name) || OF_POLICIES.has(name) ? name : undefined;
}

/** A member that a statement does not have; undefined where it has none. */
export function unknownMember(statement: object): string | undefined {
  for (const name in statement) if (!OF_STATEMENTS.has(name)) return name;
  return undefined;
}

/**
 * The object with known members under their own names. Of two that are the same but for letter case one keeps its name,
 * so that the other is found as repeated. The same object where there is nothing to rename.
 */
function canonicalMembers(object: Members, known: ReadonlySet<string>): Members {
  const taken = new Set<string>();
  let renames = false;
  for (const name in object) {
    if (known.has(name)) taken.add(name);
    else if (known.has(folded(name))) renames = true;
  }
  if (!renames) return object;
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => {
    const canonical = folded(name);
    if (known.has(name) || !known.has(canonical) || taken.has(canonical)) return [name, value];
    taken.add(canonical);
    return [canonical, value];
  });
  return Object.fromEntries(entries);
}

/** The list with each element replaced; the same list where nothing is. */
function replacing(list: readonly unknown[], by: (one: unknown) => unknown): readonly unknown[] {
  let changed = false;
  const replaced = list.map((one) => {
    const other = by(one);
    if (other !== one) changed = true;
    return other;
  });
  return changed ? replaced : list;
}

function canonicalStatement(value: unknown): unknown {
  return isObject(value) ? canonicalMembers(value, OF_STATEMENTS) : value;
}

/**
 * A policy whose members and whose statements' members have the names under which they are stored, as far as they are
 * known. The same value where nothing is to be renamed; anything but an object as it is.
 */
export function canonicalPolicy(value: unknown): unknown {
  if (!isObject(value)) return value;
  const policy = canonicalMembers(value, OF_POLICIES);
  const { statement } = policy;
  if (!Array.isArray(statement)) return policy;
  const canonical = replacing(statement, canonicalStatement);
  return canonical === statement ? policy : { ...policy, statement: canonical };
}

/** As {@link canonicalPolicy}, for a document that is a policy, a list of policies, or has a list `policies`. */
export function canonicalDocument(value: unknown): unknown {
  if (Array.isArray(value)) return replacing(value, canonicalPolicy);
  if (!isObject(value)) return value;
  if (!Array.isArray(value["policies"])) return canonicalPolicy(value);
  const policies = replacing(value["policies"], canonicalPolicy);
  return policies === value["policies"] ? value : { ...value, policies };
}

/** The problem of a member by its name: counted under a label that is known beforehand. */
function problemOf(pointer: string, name: string, message: string): Problem {
  const label = folded(name);
  return { pointer: pointTo(pointer, name), message, member: KNOWN_LABELS.has(label) ? label : "other" };
}

function strangeMember(name: string): string {
  const label = folded(name);
  if (OF_STATEMENTS.has(label)) return `repeats "${label}", which is there in other letters`;
  const known = STATEMENT_MEMBERS.join(", ");
  if (INSTEAD.has(label)) return `is no member of a statement; known are ${known}${INSTEAD.get(label)}`;
  const meant = closestName(name, STATEMENT_MEMBERS);
  return `is no member of a statement; known are ${known}${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
}

/**
 * The problem of a member that a statement does not have, or has in other letters, too.
 * @param pointer where the statement is
 */
export function strangeMemberProblem(pointer: string, name: string): Problem {
  return problemOf(pointer, name, strangeMember(name));
}

/** The members of a statement that are not known, or there in other letters, too. */
export function statementMemberProblems(statement: object, pointer: string): Problem[] {
  const problems: Problem[] = [];
  for (const name in statement)
    if (!OF_STATEMENTS.has(name)) problems.push(strangeMemberProblem(pointer, name));
  return problems;
}

/**
 * The name that a member of a policy is most likely meant for, though it restricts nothing there: a member of a statement,
 * or the list of statements. Undefined for what may be ignored.
 */
function lostMember(name: string): string | undefined {
  const label = folded(name);
  if (OF_STATEMENTS.has(label) || FOREIGN.has(label)) return label;
  const meant = closestName(label, MOST_LIKELY);
  // A typing error is rarely in the first letter: `source` is no `resource`.
  return meant !== undefined && meant[0] === label[0] ? meant : undefined;
}

/** True for a member of a statement that is unlike every one that restricts: a note for people, most likely. */
export function isRemark(name: string): boolean {
  const label = folded(name);
  return !OF_STATEMENTS.has(label) && !FOREIGN.has(label) && closestName(label, MOST_LIKELY) === undefined;
}

function lostProblem(pointer: string, name: string, meant: string): Problem {
  const message =
    meant === "statement"
      ? "is no member of a policy (did you mean statement?)"
      : "belongs in a statement: here it would have no effect";
  return problemOf(pointer, name, message);
}

/**
 * The members of a policy whose meaning would be lost: those of its statements that are not known, those of a statement
 * that stand beside the list of statements, and what is there in other letters, too. What else a policy has is ignored.
 * @param policy as {@link canonicalPolicy} returns it; anything but an object has no problems
 */
export function policyMemberProblems(policy: unknown, pointer: string): Problem[] {
  if (!isObject(policy)) return [];
  const problems: Problem[] = [];
  for (const name in policy) {
    if (OF_POLICIES.has(name)) continue;
    if (OF_POLICIES.has(folded(name))) {
      problems.push(problemOf(pointer, name, `repeats "${folded(name)}", which is there in other letters`));
      continue;
    }
    const meant = lostMember(name);
    if (meant !== undefined) problems.push(lostProblem(pointer, name, meant));
  }
  const { statement } = policy;
  if (!Array.isArray(statement)) return problems;
  for (const [index, one] of statement.entries()) {
    if (isObject(one)) problems.push(...statementMemberProblems(one, `${pointer}/statement/${index}`));
  }
  return problems;
}
