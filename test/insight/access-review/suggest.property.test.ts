/** Suggestions on random directories with random use, checked by trying every request of a small world. */

import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oracle } from "../../../packages/policy/test/engine/oracle.ts";
import { GENERALISATIONS } from "../../../src/insight/access-review/suggest/generalise.ts";
import { suggestPolicies } from "../../../src/insight/access-review/suggest/suggest-policies.ts";
import type { UsedRequest } from "../../../src/insight/access-review/suggest/used-requests.ts";
import { isWhole } from "../../proofs/size.ts";

const DIRECTORIES = isWhole ? 2_000 : 200;
const seed = Number(process.env["SUGGEST_SEED"] ?? Date.now() & 0x7fffffff);
console.log(`suggest seed ${seed} (SUGGEST_SEED repeats a run)`);

const REPOSITORY = "arn:svc:fs:::repository";
const ACTIONS = ["fs:ReadObject", "fs:ListObjects", "fs:WriteObject", "auth:ReadUser"];
const USERS = ["alice", "bob"];
const RESOURCES = [
  "*",
  ...["data", "date"].flatMap((repository) => [
    `${REPOSITORY}/${repository}`,
    ...["a/1", "a/2", "a/b/3", "b/1", "c"].map((id) => `${REPOSITORY}/${repository}/object/${id}`),
    `${REPOSITORY}/${repository}/branch/main`,
  ]),
  ...USERS.flatMap((user) => [`arn:svc:auth:::user/${user}`, `${REPOSITORY}/home/object/${user}/x`]),
  `${REPOSITORY}/home/object/carol/x`,
];
const CONTEXTS: readonly Readonly<Record<string, string>>[] = [
  {},
  { SourceIp: "10.1.2.3", team: "blue" },
  { SourceIp: "192.168.1.1", team: "red" },
  { SourceIp: "nowhere", team: "blue" },
];

const CONDITIONS = [
  { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
  { NotIpAddress: { SourceIp: ["10.0.0.0/8"] } },
  { StringLike: { team: ["blue"] } },
  { StringLike: { team: ["b*", "r*"] } },
];
const PATTERNS = [
  "*",
  `${REPOSITORY}/*`,
  `${REPOSITORY}/data/*`,
  `${REPOSITORY}/dat?/*`,
  `${REPOSITORY}/data`,
  `${REPOSITORY}/*/object/a/*`,
  `${REPOSITORY}/data/object/*`,
  `${REPOSITORY}/data/object/a/1`,
  `${REPOSITORY}/data/object/b/*`,
  `${REPOSITORY}/date/object/?/1`,
  `${REPOSITORY}/home/object/\${user}/*`,
  "arn:svc:auth:::user/${user}",
  "arn:svc:auth:::user/*",
];

const resource = fc
  .array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 2 })
  .map((all) => (all.length === 1 ? (all[0] as string) : JSON.stringify(all)));
const statement: fc.Arbitrary<Statement> = fc.record(
  {
    effect: fc.constantFrom("allow", "allow", "allow", "deny"),
    action: fc.uniqueArray(fc.constantFrom(...ACTIONS, "fs:*", "fs:*Object*", "*"), {
      minLength: 1,
      maxLength: 3,
    }),
    resource,
    condition: fc.constantFrom(...CONDITIONS),
  },
  { requiredKeys: ["effect", "action", "resource"] },
);
const directory = fc
  .array(fc.array(statement, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  .map((all) => all.map((one, index): NamedStatements => ({ name: `P${index}`, statement: one })));
const leaf: fc.Arbitrary<RequiredPermissions> = fc.record({
  action: fc.constantFrom(...ACTIONS),
  resource: fc.constantFrom(...RESOURCES),
});
const required: fc.Arbitrary<RequiredPermissions> = fc.oneof(
  { weight: 8, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { minLength: 1, maxLength: 3 }).map((and) => ({ and })) },
  { weight: 1, arbitrary: fc.array(leaf, { minLength: 1, maxLength: 3 }).map((or) => ({ or })) },
  { weight: 1, arbitrary: fc.constantFrom(...ACTIONS).map((action) => ({ any_resource: { action } })) },
);
const requests = fc.array(
  fc.record({ user: fc.constantFrom(...USERS), required, context: fc.constantFrom(...CONTEXTS) }),
  { minLength: 1, maxLength: 60 },
);

const isAllowed = (policies: readonly NamedStatements[], { user, required: asked, context }: UsedRequest) =>
  oracle(policies, { user, required: asked, context } as never).effect === "allow";

/** Every request of the world. */
const WORLD: readonly UsedRequest[] = USERS.flatMap((user) =>
  CONTEXTS.flatMap((fields) => {
    const context = new Map(Object.entries(fields));
    const gates = ACTIONS.map((action) => ({ user, required: { any_resource: { action } }, context }));
    return [
      ...gates,
      ...ACTIONS.flatMap((action) =>
        RESOURCES.map((one) => ({ user, required: { action, resource: one }, context })),
      ),
    ];
  }),
);

const size = (policies: readonly NamedStatements[]) =>
  policies.reduce((sum, { statement: all }) => sum + all.length, 0);

describe("a suggestion", () => {
  it("allows every request that was made, nothing beyond today, and is never larger", {
    timeout: 900_000,
  }, () => {
    const seen = {
      suggested: 0,
      narrowed: 0,
      generalised: 0,
      nothing: 0,
      unproven: 0,
      smaller: 0,
      allowed: 0,
    };
    fc.assert(
      fc.property(
        directory,
        requests,
        fc.constantFrom(...GENERALISATIONS),
        fc.boolean(),
        (held, made, generalise, forOne) => {
          const user = forOne ? "alice" : undefined;
          const used = made
            .map(({ context, ...one }) => ({ ...one, context: new Map(Object.entries(context)) }))
            .filter((one) => (user === undefined || one.user === user) && isAllowed(held, one));
          const found = suggestPolicies({
            partition: "svc",
            held,
            used,
            generalise,
            name: "Suggested",
            ...(user !== undefined && { user }),
          });
          if (found === undefined) {
            seen.unproven++;
            return;
          }
          const { policies } = found;
          for (const one of used) expect(isAllowed(policies, one), JSON.stringify(one.required)).toBe(true);
          for (const one of WORLD) {
            if (user !== undefined && one.user !== user) continue;
            if (!isAllowed(policies, one)) continue;
            expect(isAllowed(held, one), `${one.user} ${JSON.stringify(one.required)}`).toBe(true);
            seen.allowed++;
          }
          expect(size(policies)).toBeLessThanOrEqual(size(held));
          expect(policies.length).toBeLessThanOrEqual(held.length);
          expect(found.sources.length).toBe(size(policies));
          if (used.length === 0) seen.nothing++;
          else {
            seen.suggested++;
            if (found.narrowed) seen.narrowed++;
            if (found.generalise === generalise) seen.generalised++;
            if (size(policies) < size(held)) seen.smaller++;
          }
        },
      ),
      { seed, numRuns: DIRECTORIES },
    );
    console.log(`suggestions: ${JSON.stringify(seen)}`);
    expect(seen.suggested).toBeGreaterThan(DIRECTORIES * 0.2);
    expect(seen.unproven).toBeLessThan(DIRECTORIES * 0.1);
    expect(seen.narrowed).toBeGreaterThan(seen.suggested * 0.5);
  });
});
