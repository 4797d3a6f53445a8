/** The directory that hostile callers ask about. */

import { Buffer } from "node:buffer";
import { APPLIER, allow, arn, OTHER, range, UNPRIVILEGED } from "./hostile-calls.ts";
import { ofResource, variable } from "./hostile-conditions.ts";

const PER_POLICY = 1_000;

/** Policies whose statements are about everything or about one action: no two actions have the same statements. */
export const wideOf = (statements: number) =>
  range(statements / PER_POLICY, (policy) => ({
    name: `wide-${policy}`,
    statement: range(PER_POLICY, (index) =>
      allow(
        index < 100 ? [`fs:Act${policy * 100 + index}`] : ["*"],
        arn(`r${policy * PER_POLICY + index}/*`),
      ),
    ),
  }));

/** Policies whose statements have patterns of actions, no two the same, that stand for no action. */
const patternedOf = (statements: number) =>
  range(statements / PER_POLICY, (policy) => ({
    name: `patterned-${policy}`,
    statement: range(PER_POLICY, (index) => allow([`*?s:A*${policy * PER_POLICY + index}?x*`], "*")),
  }));

/** Resources without four literal characters in a row, many in each statement. */
export const keyless = range(20, (policy) => ({
  name: `keyless-${policy}`,
  statement: [
    allow(["fs:ReadObject"], JSON.stringify(range(1000, (index) => arn(`*?${policy % 10}_${index % 100}`)))),
  ],
}));

/** Wildcards that match nearly everything at nearly every place. */
const starred = (name: string) => ({
  name,
  statement: range(120, (index) => allow(["fs:ReadObject"], arn(`${"*a?".repeat(200)}${index}`))),
});
const stars = range(5, (policy) => starred(`stars-${policy}`));

/** Users about whom nobody asks but one case, and the policies of each, which no other has. */
export const COLD_USERS: readonly string[] = range(8, (user) => `cold-${user}`);
const coldPolicies = (user: string) => range(5, (policy) => starred(`${user}-${policy}`));

/** Resources that name the user between wildcards, and many members who have them. */
const named = range(100, (index) => allow(["fs:NamedRead"], arn(`*\${user}*-${index % 10}*`)));
const members = range(2_000, (index) => ({ username: `member-${index}`, groups: ["named"] }));

/**
 * The directory.
 * @param statements statements of each of the users `wide` and `patterned`: whole thousands
 */
export function hostileDataset(statements = 10_000): unknown {
  const wide = wideOf(statements);
  const patterned = patternedOf(statements);
  const cold = COLD_USERS.map((name) => [name, coldPolicies(name)] as const);
  const policies = [...wide, ...patterned, ...keyless, ...stars, ...variable, ...ofResource];
  const user = (username: string, own: readonly { readonly name: string }[]) => ({
    username,
    policies: own.map(({ name }) => name),
  });
  return {
    format: 1,
    policies: [
      ...policies,
      ...cold.flatMap(([, own]) => own),
      { name: "plain", statement: [allow(["fs:*"], arn("data/*"))] },
      { name: "directory", statement: [allow(["auth:*"], "*")] },
      { name: "named", statement: named },
    ],
    groups: [{ name: "named", policies: ["named"] }],
    users: [
      { ...user("wide", wide), credentials: [UNPRIVILEGED.key] },
      user("patterned", patterned),
      ...cold.map(([name, own]) => user(name, own)),
      user("keyless", keyless),
      user("stars", stars),
      user("variable", variable),
      user("of-resource", ofResource),
      ...members,
      { username: "steady", policies: ["plain"] },
      { username: APPLIER.username, policies: ["directory"], credentials: [APPLIER.key] },
      { username: OTHER.username, policies: ["directory"], credentials: [OTHER.key] },
    ],
  };
}

/** Bytes that one question of the steady caller takes. */
export const STEADY_QUESTION = Buffer.from(
  JSON.stringify({ user: "steady", required: { action: "fs:ReadObject", resource: arn("data/object/x") } }),
);
