/**
 * A world small enough to try every request: texts of three letters, few users and contexts. What policies allow in it
 * is a table of bits, made from one naive match for each pattern and text.
 */

import type { Condition, NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { wildcardMatch } from "../engine/oracle.ts";

const LETTERS = ["a", "b", "c"];
const BEGIN = "arn:svc:fs:::";
const OTHER_BEGIN = "arn:svc:auth:::";

function textsUpTo(length: number): string[] {
  if (length === 0) return [""];
  const shorter = textsUpTo(length - 1);
  const longest = shorter.filter((text) => text.length === length - 1);
  return [...shorter, ...longest.flatMap((text) => LETTERS.map((letter) => text + letter))];
}

/** Every action of the small world. */
export const ACTIONS = textsUpTo(2).filter((text) => text !== "");
/** Every resource. */
export const RESOURCES = [
  "*",
  `${OTHER_BEGIN}a`,
  ...textsUpTo(3)
    .filter((text) => text !== "")
    .map((text) => BEGIN + text),
];
/** Some users. */
export const USERS = ["a", "b", "ab", "c", "cc"];
/** Some contexts. */
export const CONTEXTS: readonly Readonly<Record<string, string>>[] = ["", "a", "ab", "c"].flatMap((f) =>
  ["", "10.1.0.1", "10.2.0.1", "bad"].map((ip) => ({ ...(f && { f }), ...(ip && { ip }) })),
);

const memo = new Map<string, bigint>();

/** The resources that a pattern matches for a user, a bit each. */
function resourceBits(pattern: string, user: string): bigint {
  const bound = pattern.replaceAll("${user}", user);
  const known = memo.get(bound);
  if (known !== undefined) return known;
  let bits = 0n;
  for (const [index, resource] of RESOURCES.entries()) {
    const begin = [BEGIN, OTHER_BEGIN].find((one) => bound.startsWith(one));
    const matches =
      bound === "*" ||
      (begin !== undefined &&
        resource.startsWith(begin) &&
        bound.length > begin.length &&
        wildcardMatch(bound.slice(begin.length), resource.slice(begin.length)));
    if (matches) bits |= 1n << BigInt(index);
  }
  memo.set(bound, bits);
  return bits;
}

type Verdict = "holds" | "fails" | "error";

function verdictOf(
  condition: Condition | null | undefined,
  context: Readonly<Record<string, string>>,
): Verdict {
  let verdict: Verdict = "holds";
  for (const [operator, fields] of Object.entries(condition ?? {})) {
    if (operator === "Nope") return "error";
    for (const [field, values] of Object.entries(fields)) {
      const value = context[field];
      if (value === "bad") return "error";
      const some = values.some((one) =>
        operator.endsWith("IpAddress")
          ? value?.startsWith(one === "10.0.0.0/8" ? "10." : one.slice(0, 5))
          : wildcardMatch(one, value ?? ""),
      );
      if (value === undefined || some === operator.includes("Not")) verdict = "fails";
    }
  }
  return verdict;
}

/** Returns for every action the allowed resources, one bit each. */
function allowedBits(
  policies: readonly NamedStatements[],
  user: string,
  context: Readonly<Record<string, string>>,
): bigint[] {
  const statements = policies.flatMap(({ statement }) => statement);
  const verdicts = statements.map(({ condition }) => verdictOf(condition, context));
  const isBroken = statements.some(
    ({ resource }, index) => verdicts[index] === "error" || (verdicts[index] === "holds" && resource === ""),
  );
  return ACTIONS.map((action) => {
    let [allow, deny] = [0n, 0n];
    for (const [index, statement] of statements.entries()) {
      if (verdicts[index] !== "holds" || !statement.action.some((one) => wildcardMatch(one, action)))
        continue;
      const bits = resourceBits(statement.resource, user);
      if (statement.effect === "deny") deny |= bits;
      else allow |= bits;
    }
    return isBroken ? 0n : allow & ~deny;
  });
}

function describeRequest(user: string, context: object, action: number, bits: bigint): string {
  const resource = RESOURCES[bits.toString(2).length - 1];
  return `${user} ${ACTIONS[action]} ${resource} ${JSON.stringify(context)}`;
}

/** The actions for which the gate of lists is open (spec/evaluation §10). */
function openGates(policies: readonly NamedStatements[]): boolean[] {
  const patterns = policies.flatMap(({ statement }) =>
    statement.flatMap(({ effect, action }) => (effect === "allow" ? action : [])),
  );
  return ACTIONS.map((action) => patterns.some((pattern) => wildcardMatch(pattern, action)));
}

/** Some request of the small world that `after` allows and `before` does not. */
export function widerInSmallWorld(
  before: readonly NamedStatements[],
  after: readonly NamedStatements[],
): string | undefined {
  const texts = JSON.stringify([before, after]);
  const openBefore = openGates(before);
  const gate = openGates(after).findIndex((isOpen, index) => isOpen && !openBefore[index]);
  if (gate >= 0) return `any resource for ${ACTIONS[gate]}`;
  const contexts = texts.includes("condition") ? CONTEXTS : CONTEXTS.slice(0, 1);
  const users = texts.includes("${user}") ? USERS : USERS.slice(0, 1);
  for (const user of users) {
    for (const context of contexts) {
      const was = allowedBits(before, user, context);
      for (const [index, now] of allowedBits(after, user, context).entries()) {
        const wider = now & ~(was[index] as bigint);
        if (wider !== 0n) return describeRequest(user, context, index, wider);
      }
    }
  }
  return undefined;
}

const tail = fc.constantFrom(
  "a",
  "b",
  "*",
  "*",
  "?",
  "a*",
  "*a",
  "ab",
  "?b",
  "a?",
  "??",
  "?*",
  "a*b",
  "*b*",
  "**",
);
const action = fc.oneof({ weight: 5, arbitrary: tail }, fc.constantFrom("aa", "b?", "??*", "c"));
const userTail = fc.constantFrom(
  "${user}",
  "${user}*",
  "a${user}",
  "*${user}",
  "${user}b",
  "${user}${user}",
  "?${user}",
);
const resource = fc.oneof(
  { weight: 12, arbitrary: tail.map((text) => BEGIN + text) },
  { weight: 3, arbitrary: userTail.map((text) => BEGIN + text) },
  { weight: 3, arbitrary: fc.constant("*") },
  { weight: 1, arbitrary: fc.constantFrom(`${OTHER_BEGIN}a`, `${OTHER_BEGIN}*`, "no arn") },
);
const ips = fc.subarray(["10.0.0.0/8", "10.1.0.0/16", "10.2.0.0/16"], { minLength: 1 });
const patterns = fc.subarray(["a", "a*", "*", "c", "?"], { minLength: 1 });
const condition: fc.Arbitrary<Condition | undefined> = fc.oneof(
  { weight: 14, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: ips.map((ip) => ({ IpAddress: { ip } })) },
  { weight: 1, arbitrary: ips.map((ip) => ({ NotIpAddress: { ip } })) },
  { weight: 2, arbitrary: patterns.map((f) => ({ StringLike: { f } })) },
  { weight: 1, arbitrary: patterns.map((f) => ({ StringNotLike: { f } })) },
  {
    weight: 1,
    arbitrary: fc.tuple(ips, patterns).map(([ip, f]) => ({ IpAddress: { ip }, StringLike: { f } })),
  },
);

const broken: fc.Arbitrary<Partial<Statement>> = fc.constantFrom(
  { resource: "" },
  { condition: { Nope: {} } },
);

const statement: fc.Arbitrary<Statement> = fc
  .record({
    effect: fc.constantFrom("allow", "allow", "deny"),
    action: fc.array(action, { minLength: 1, maxLength: 2 }),
    resource,
    condition,
    broken: fc.oneof({ weight: 60, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: broken }),
  })
  .map(({ condition: held, broken: fault, ...rest }) => ({
    ...rest,
    ...(held === undefined ? {} : { condition: held }),
    ...fault,
  }));

const set = fc.array(statement, { minLength: 1, maxLength: 4 });

/** An edit of a list of statements: pairs that are alike meet the subtle cases. */
const edit = fc.record({
  at: fc.nat({ max: 3 }),
  as: fc.constantFrom("remove", "replace", "action", "resource", "condition", "add"),
  by: statement,
});

function edited(
  statements: readonly Statement[],
  { at, as, by }: { at: number; as: string; by: Statement },
): Statement[] {
  return statements.flatMap((one, index): Statement[] => {
    if (index !== at % statements.length) return [one];
    if (as === "remove") return [];
    if (as === "replace") return [by];
    if (as === "add") return [one, by];
    const { condition: _, ...rest } = one;
    if (as === "condition") return [by.condition === undefined ? rest : { ...rest, condition: by.condition }];
    return [{ ...one, [as]: by[as as "action" | "resource"] }];
  });
}

/** Two sets of policies: unrelated ones, and an edit of one of the two. */
export const pairOfPolicies: fc.Arbitrary<readonly [NamedStatements[], NamedStatements[]]> = fc
  .oneof(
    { weight: 1, arbitrary: fc.tuple(set, set) },
    { weight: 3, arbitrary: fc.tuple(set, edit).map(([one, by]) => [one, edited(one, by)] as const) },
    {
      weight: 2,
      arbitrary: fc.tuple(set, edit, edit).map(([one, a, b]) => [edited(one, a), edited(one, b)] as const),
    },
  )
  .map(
    ([before, after]) =>
      [[{ name: "p", statement: before }], [{ name: "p", statement: [...after] }]] as const,
  );
