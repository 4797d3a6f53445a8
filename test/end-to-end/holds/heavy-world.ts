/**
 * A directory in which everybody whom the examples of the documents name has very many statements, and the names of what
 * requests ask about.
 */

import { allow, arn, range } from "../hostile-calls.ts";

/** Statements of a policy, whose size is limited, too. */
const PER_POLICY = 700;

/** The key of `alice`, who may do everything with the directory. */
export const ALICE_KEY = {
  access_key_id: "AKIAJEXAMPLEEXAMPLEQ",
  secret_access_key: "example-secret-example-secret-example-00",
} as const;

/** The id that the examples of SCIM have. */
export const EXAMPLE_SCIM_ID = "01KAMQ3Z0T8W0000000000AAAA";

/** Statements of different forms: each policy has one form. */
const FORMS: readonly ((n: number) => unknown)[] = [
  // No two actions have the same statements.
  (n) => allow(n % 10 === 0 ? [`fs:Act${n}`] : ["*"], arn(`r${n}/*`)),
  // Not to be found by the beginning of a resource.
  (n) => allow(["fs:Read*"], arn(`*?${n % 97}_${n}*`)),
  // Some deny.
  (n) => ({ ...allow([`fs:Act${n % 1_000}`], arn(`d${n}`)), effect: n % 2 === 0 ? "deny" : "allow" }),
  // The name of the user is part of them.
  (n) => allow(["fs:*"], arn(`*\${user}/${n}/?`)),
  // Conditions.
  (n) => ({ ...allow(["*"], arn(`c${n}`)), condition: { StringEquals: { "field-1": [`${n}`] } } }),
];

/** The policies that together have this many statements. */
function policies(statements: number): readonly { readonly name: string; readonly statement: unknown }[] {
  return range(Math.ceil(statements / PER_POLICY), (policy) => ({
    name: policy === 0 ? "ReadData" : `given-${policy}`,
    statement: range(PER_POLICY, (index) => FORMS[policy % FORMS.length]?.(policy * PER_POLICY + index)),
  }));
}

/** A data set in which `alice`, `bob` and the group `Readers` have this many statements. */
export function heavyDataset(statements: number): unknown {
  const heavy = policies(statements);
  const names = [...heavy.map(({ name }) => name), "Changing"];
  return {
    format: 1,
    policies: [
      ...heavy,
      // The examples name it.
      { name: "FSReadAll", statement: [allow(["fs:Read*"], "*")] },
      { name: "Changing", statement: [allow(["fs:Changed"], "*")] },
      { name: "Manages", statement: [allow(["auth:*"], "*")] },
    ],
    groups: [
      { name: "Readers", policies: names },
      ...range(200, (index) => ({ name: `group-${index}`, policies: names.slice(0, 3) })),
    ],
    users: [
      { username: "alice", policies: [...names, "Manages"], credentials: [ALICE_KEY] },
      { username: "bob", policies: names },
    ],
  };
}

/** The texts of members of requests, by the end of their place, and the names of members of maps (`NAME{}`). */
export const NAMES: ReadonlyMap<string, (index: number) => string> = new Map<
  string,
  (index: number) => string
>([
  ["user", () => "alice"],
  ["username", (n) => `user-${n}`],
  ["subject.type", () => "user"],
  ["subject.id", () => "alice"],
  ["action", (n) => `fs:Act${n}`],
  ["action.name", (n) => `fs:Act${n}`],
  ["resource.type", () => "arn"],
  ["resource.id", (n) => arn(`r${n}/x`)],
  ["resource", (n) => arn(`r${n}/x`)],
  ["resources", (n) => arn(`r${n}/x`)],
  ["ids", (n) => `r${n}`],
  ["type", () => "repository"],
  ["groups", (n) => `group-${n}`],
  ["remove", (n) => `given-${n}`],
  ["effect", () => "allow"],
  ["name", (n) => `given-${n}`],
  ["condition{}", (n) => ["StringEquals", "StringLike", "IpAddress", "StringNotEquals"][n] ?? `Unknown${n}`],
]);
