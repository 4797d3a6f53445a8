import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide, decideOne } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { expect, it } from "vitest";

const policies = compile(
  ["one", "two"].map((repository) => ({
    name: repository,
    statement: [{ effect: "allow", action: ["fs:*"], resource: `arn:svc:fs:::repository/${repository}` }],
  })),
  { partition: "svc", evaluator: "extended" },
);
const asked = { user: "alice", context: new Map() };
const permission = (repository: string) => ({
  action: "fs:ReadRepository",
  resource: `arn:svc:fs:::repository/${repository}`,
});

it("keeps what it found while others look up", () => {
  const [mine, other] = [new Lookup(), new Lookup()];
  decideOne(policies, permission("one"), asked, mine);
  decideOne(policies, permission("two"), asked, other);
  decide(policies, { ...asked, required: permission("two") });
  expect(mine.place().statementIn(policies)?.policy.name).toBe("one");
  expect(other.place().statementIn(policies)?.policy.name).toBe("two");
});

it("is nobody else's object", () => {
  const lookup = new Lookup();
  const own = permission("one");
  const alike = { look: lookup.look, next: lookup.next, place: lookup.place };
  // @ts-expect-error an object with the same methods is no look-up
  expect(() => decideOne(policies, own, asked, alike)).toThrow(TypeError);
  // @ts-expect-error the statements are noted by one decision, not in a list that others may read
  expect(() => decide(policies, { ...asked, required: own, decidedBy: [] }, lookup)).toThrow(TypeError);
});
