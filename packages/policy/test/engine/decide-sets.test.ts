import { type CompileOptions, compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decideSetsInSteps } from "@svc-authorizer/policy/engine/decide/decide-sets.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { DecisionContext } from "@svc-authorizer/policy/model/decision.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import type { RequiredOnSets } from "@svc-authorizer/policy/model/resource-set.ts";
import { describe, expect, it } from "vitest";

const ACTION = "fs:WriteObject";
const REPOSITORY = "arn:svc:fs:::repository/";

/** A set as people write it down: `_` stands for any text. */
const setOf = (text: string) => ({ parts: text.split("_") as [string, ...string[]] });
const leaf = (text: string, action = ACTION): RequiredOnSets => ({ action, resource: setOf(text) });
const allow = (resource: string, more: Partial<Statement> = {}): Statement => {
  return { effect: "allow", action: ["fs:*"], resource, ...more };
};
const deny = (resource: string, more: Partial<Statement> = {}): Statement => {
  return allow(resource, { effect: "deny", ...more });
};

interface Asked {
  readonly user?: string;
  readonly context?: DecisionContext;
  readonly evaluator?: CompileOptions["evaluator"];
}

function decided(statement: readonly Statement[], required: RequiredOnSets, asked: Asked = {}) {
  const { user = "alice", context = new Map(), evaluator = "extended" } = asked;
  const policies = compile([{ name: "p", statement }], { partition: "svc", evaluator });
  return finish(decideSetsInSteps(policies, { user, required, context }));
}
const effect = (...asked: Parameters<typeof decided>) => decided(...asked).effect;

describe("one allow has to contain the whole set (spec/security §2.5)", () => {
  it.each<[string, string, boolean]>([
    // Pattern of the allow, set, whether it contains the set.
    ["*", "arn:svc:fs:::repository/_", true],
    ["*", "arn:svc:_", true],
    ["*", "_", true],
    [`${REPOSITORY}*`, `${REPOSITORY}_`, true],
    [`${REPOSITORY}**`, `${REPOSITORY}_`, true],
    [`${REPOSITORY}*`, `${REPOSITORY}_/object/_`, true],
    [`${REPOSITORY}*/object/*`, `${REPOSITORY}_/object/_`, true],
    [`${REPOSITORY}*o*`, `${REPOSITORY}_/object/_`, true],
    [`${REPOSITORY}data/*`, `${REPOSITORY}data/object/_`, true],
    [`${REPOSITORY}data/object/*`, `${REPOSITORY}data/object/_`, true],
    [`${REPOSITORY}data/object/*`, `${REPOSITORY}data/object/_.csv`, true],
    [`${REPOSITORY}data/object/*.csv`, `${REPOSITORY}data/object/_.csv`, true],
    [`${REPOSITORY}data/?*`, `${REPOSITORY}data/x_`, true],
    [`${REPOSITORY}data/*?`, `${REPOSITORY}data/x_`, true],
    [`${REPOSITORY}*?v`, `${REPOSITORY}data/_.csv`, true],
    ["arn:svc:fs:eu:::no", `${REPOSITORY}_`, false],
    ["arn:svc:fs:eu::repository/*", `${REPOSITORY}_`, true],
    [`${REPOSITORY}?`, `${REPOSITORY}_`, false],
    [`${REPOSITORY}?*`, `${REPOSITORY}_`, false],
    [`${REPOSITORY}*?`, `${REPOSITORY}_`, false],
    [`${REPOSITORY}???????????`, `${REPOSITORY}_`, false],
    [`${REPOSITORY}data`, `${REPOSITORY}_`, false],
    [`${REPOSITORY}data*`, `${REPOSITORY}_`, false],
    [`${REPOSITORY}data/object/a*`, `${REPOSITORY}data/object/_`, false],
    [`${REPOSITORY}data/object/*.csv`, `${REPOSITORY}data/object/_`, false],
    [`${REPOSITORY}*/object/a`, `${REPOSITORY}_/object/_`, false],
    [`${REPOSITORY}*/branch/*`, `${REPOSITORY}_/object/_`, false],
    ["arn:svc:fs::1:repository/*", `${REPOSITORY}_`, false],
    ["arn:svc:auth:::repository/*", `${REPOSITORY}_`, false],
    ["arn:other:fs:::repository/*", `${REPOSITORY}_`, false],
    ["arn:svc:*:::repository/*", `${REPOSITORY}_`, false],
    ["repository/*", `${REPOSITORY}_`, false],
    // Without a complete header the service is open; without a resource it is no ARN.
    ["arn:svc:fs:::*", "arn:svc:_", false],
    ["arn:svc:fs:::*", "arn:svc:fs:::_", false],
    ["arn:svc:fs:::*", "arn:svc:fs:::_/x", true],
    ["arn:svc:fs:::*", "arn:other:fs:::repository/_", false],
    // A star in a name is a star: no pattern but one that takes any text there contains it.
    [`${REPOSITORY}\\*`, `${REPOSITORY}_`, false],
    [`${REPOSITORY}*/object/*`, `${REPOSITORY}*/object/_`, true],
    [`${REPOSITORY}?/object/*`, `${REPOSITORY}*/object/_`, true],
    [`${REPOSITORY}data/object/*`, `${REPOSITORY}*/object/_`, false],
    // One character is one code point.
    [`${REPOSITORY}?/*`, `${REPOSITORY}😀/_`, true],
    [`${REPOSITORY}??/*`, `${REPOSITORY}😀/_`, false],
    [`${REPOSITORY}?*?/x`, `${REPOSITORY}日_/x`, false],
  ])("%s for %s: %s", (pattern, set, contained) => {
    expect(effect([allow(pattern)], leaf(set))).toBe(contained ? "allow" : "neutral");
  });

  it("and several that do so together do not count", () => {
    const halves = [allow(`${REPOSITORY}a*`), allow(`${REPOSITORY}?*`), allow(REPOSITORY)];
    expect(effect(halves, leaf(`${REPOSITORY}_`))).toBe("neutral");
    const list = JSON.stringify([`${REPOSITORY}a*`, `${REPOSITORY}*`]);
    expect(effect([allow(list)], leaf(`${REPOSITORY}_`))).toBe("allow");
  });
});

describe("no deny may meet the set (spec/security §2.5)", () => {
  it.each<[string, string, boolean]>([
    // Pattern of the deny, set, whether some ARN of the set is denied.
    ["*", `${REPOSITORY}_`, true],
    [`${REPOSITORY}secret`, `${REPOSITORY}_`, true],
    [`${REPOSITORY}secret/*`, `${REPOSITORY}_`, true],
    [`${REPOSITORY}secret/object/*`, `${REPOSITORY}_/object/_`, true],
    [`${REPOSITORY}*/object/secret`, `${REPOSITORY}data/object/_`, true],
    [`${REPOSITORY}?`, `${REPOSITORY}_`, true],
    [REPOSITORY, `${REPOSITORY}_`, true],
    [`${REPOSITORY}data/object/????`, `${REPOSITORY}data/object/_.csv`, true],
    [`${REPOSITORY}data/object/日`, `${REPOSITORY}data/object/_`, true],
    ["arn:svc:fs:eu::repository/x", `${REPOSITORY}_`, true],
    ["arn:svc:auth:::user/x", "arn:svc:_", true],
    // Behind a star the bytes of one character may count as several (spec/evaluation §6).
    [`${REPOSITORY}*??/x`, `${REPOSITORY}日_x`, true],
    [`${REPOSITORY}*??/x*`, `${REPOSITORY}日/x_`, true],
    // Longer than a word of bits.
    [`${REPOSITORY}${"b".repeat(100)}`, `${REPOSITORY}_`, true],
    [`${REPOSITORY}?${"b".repeat(100)}/*/${"c".repeat(100)}`, `${REPOSITORY}_/c_`, true],
    [`${REPOSITORY}data/object/???`, `${REPOSITORY}data/object/_.csv`, false],
    [`${REPOSITORY}other*`, `${REPOSITORY}data/_`, false],
    [`${REPOSITORY}*/branch/*`, `${REPOSITORY}data/object/x`, false],
    [`${REPOSITORY}*.txt`, `${REPOSITORY}data/object/_.csv`, false],
    ["arn:svc:auth:::repository/*", `${REPOSITORY}_`, false],
    ["arn:svc:fs::1:repository/*", `${REPOSITORY}_`, false],
    ["no arn", "arn:svc:_", false],
    ["arn:svc:fs:::*", "arn:other:fs:::_", false],
  ])("%s for %s: %s", (pattern, set, met) => {
    expect(effect([allow("*"), deny(pattern)], leaf(set))).toBe(met ? "deny" : "allow");
  });
});

describe("the rest is as for a single resource", () => {
  const ALL = `${REPOSITORY}_`;
  const office = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
  const inside = new Map([["SourceIp", "10.0.0.1"]]);
  const outside = new Map([["SourceIp", "11.0.0.1"]]);

  it("other actions neither allow nor deny", () => {
    const statements = [allow("*"), deny("*", { action: ["fs:Delete*"] })];
    expect(effect(statements, leaf(ALL))).toBe("allow");
    expect(effect(statements, leaf(ALL, "fs:DeleteObject"))).toBe("deny");
    expect(effect([allow("*", { action: ["auth:*"] })], leaf(ALL))).toBe("neutral");
  });

  it("conditions hold or do not", () => {
    const conditional = allow("*", { condition: office });
    expect(effect([conditional], leaf(ALL), { context: inside })).toBe("allow");
    expect(effect([conditional], leaf(ALL), { context: outside })).toBe("neutral");
    expect(effect([conditional], leaf(ALL))).toBe("neutral");
    const guarded = [allow("*"), deny(`${REPOSITORY}x`, { condition: office })];
    expect(effect(guarded, leaf(ALL), { context: inside })).toBe("deny");
    expect(effect(guarded, leaf(ALL), { context: outside })).toBe("allow");
  });

  it("a list under an operator for single values: an allow does not hold, a deny does", () => {
    const lists = new Map([["SourceIp", ["10.0.0.1"]]]);
    expect(effect([allow("*", { condition: office })], leaf(ALL), { context: lists })).toBe("neutral");
    const guarded = [allow("*"), deny("*", { condition: office })];
    expect(effect(guarded, leaf(ALL), { context: lists })).toBe("deny");
  });

  it("what cannot be evaluated denies, whatever it is about, and is not named", () => {
    const refused = { effect: "deny", message: "insufficient permissions: not allowed" };
    const broken = allow("", { action: ["auth:ReadUser"] });
    expect(decided([allow("*"), broken], leaf(ALL))).toEqual(refused);
    const conditional = allow("*", { action: ["auth:ReadUser"], condition: office });
    expect(decided([allow("*"), conditional], leaf(ALL), { context: new Map([["SourceIp", "x"]]) })).toEqual(
      refused,
    );
  });

  it("a refusal names the first of deny and failure", () => {
    const denied = deny("*", { action: ["fs:Wri*"] });
    const broken = allow("");
    expect(decided([allow("*"), denied, broken], leaf(ALL)).message).toBe(
      "insufficient permissions: denied permission to fs:Wri*",
    );
    expect(decided([allow("*"), broken, denied], leaf(ALL)).message).toBe(
      "insufficient permissions: not allowed",
    );
    expect(decided([deny("*"), denied], leaf(ALL)).message).toContain("denied permission to fs:*");
    expect(decided([denied, deny("*", { action: ["*"] })], leaf(ALL)).message).toContain("fs:Wri*");
    expect(decided([], leaf(ALL)).message).toBe(`insufficient permissions: not allowed to ${ACTION}`);
  });

  it("${user} is the name, and an allow with it does not hold for a name that acts as a wildcard", () => {
    const own = `${REPOSITORY}\${user}/*`;
    expect(effect([allow(own)], leaf(`${REPOSITORY}alice/_`))).toBe("allow");
    expect(effect([allow(own)], leaf(`${REPOSITORY}alicex/_`))).toBe("neutral");
    expect(effect([allow(own)], leaf(`${REPOSITORY}_`), { user: "*" })).toBe("neutral");
    expect(effect([allow("*"), deny(own)], leaf(`${REPOSITORY}bob/_`), { user: "*" })).toBe("deny");
    expect(effect([allow("*"), deny(own)], leaf(`${REPOSITORY}bob/_`))).toBe("allow");
    const whole = allow("${user}");
    expect(effect([whole], leaf(ALL), { user: "*" })).toBe("neutral");
    expect(effect([whole], leaf(ALL), { user: "*", evaluator: "data_server" })).toBe("allow");
  });

  it("trees of open and single leaves", () => {
    const statements = [allow(`${REPOSITORY}data*`), deny(`${REPOSITORY}data/object/secret`)];
    const single = { action: ACTION, resource: { parts: [`${REPOSITORY}data/object/x`] } as const };
    const secret = { action: ACTION, resource: { parts: [`${REPOSITORY}data/object/secret`] } as const };
    const open = leaf(`${REPOSITORY}data/branch/_`);
    const other = leaf(`${REPOSITORY}_`);
    expect(effect(statements, { and: [single, open] })).toBe("allow");
    expect(effect(statements, { and: [open, secret] })).toBe("deny");
    expect(effect(statements, { or: [open, leaf(`${REPOSITORY}data/object/_`)] })).toBe("deny");
    expect(effect(statements, { and: [single, { or: [open, leaf("arn:svc:auth:::user/_")] }] })).toBe(
      "allow",
    );
    expect(effect(statements, { and: [{ any_resource: { action: ACTION } }, open] })).toBe("allow");
    expect(decided(statements, { and: [leaf("arn:svc:auth:::user/_"), other] })).toEqual({
      effect: "neutral",
      message: `insufficient permissions: not allowed to ${ACTION}`,
    });
  });
});

describe("the cost", () => {
  const many = Array.from({ length: 2000 }, (_, index) =>
    allow(`${REPOSITORY}${index}*a?a*${"b".repeat(50)}`),
  );
  const policies = compile([{ name: "p", statement: many }], { partition: "svc", evaluator: "extended" });
  /** A microsecond: what remains to be paid at the end. */
  const FEW_UNITS = 1_000;
  const stepsOf = (required: RequiredOnSets) => {
    const request = { user: "alice", required, context: new Map() };
    return [...decideSetsInSteps(policies, request)].filter((units) => units > FEW_UNITS).length;
  };

  it("comes in steps where there are many statements of the action, and only then", () => {
    expect(stepsOf(leaf(`${REPOSITORY}_`))).toBeGreaterThan(5);
    expect(stepsOf(leaf(`${REPOSITORY}_`, "auth:ReadUser"))).toBe(0);
    expect(stepsOf({ action: ACTION, resource: { parts: [REPOSITORY] } as const })).toBe(0);
  });

  // A matcher that goes back would not end in a lifetime.
  it.each([
    [
      "stars between letters",
      `${"*a".repeat(2000)}b`,
      ["a".repeat(2000), "a".repeat(2000)],
      "neutral",
      "allow",
    ],
    ["question marks", `${"?*".repeat(2000)}b`, ["a".repeat(4000), ""], "neutral", "deny"],
    ["many gaps", "*a*".repeat(1300), "a".repeat(4000).split(""), "allow", "deny"],
  ])("is bounded: %s", (_, pattern, parts, contained, met) => {
    const [first = "", ...rest] = parts;
    const required = {
      action: ACTION,
      resource: { parts: [REPOSITORY + first, ...rest] as [string, ...string[]] },
    };
    expect(effect([allow(REPOSITORY + pattern)], required)).toBe(contained);
    expect(effect([allow("*"), deny(REPOSITORY + pattern)], required)).toBe(met);
  });
});

describe("attributes of resources, which may be others for each of a set", () => {
  const open = { condition: { StringEquals: { "resource.status": ["open"] } } };
  const context = new Map([["resource.status", "open"]]);
  const contextOf = (resource: string) =>
    new Map([["resource.status", resource.endsWith("a") ? "open" : "shut"]]);
  const on = (statement: readonly Statement[], text: string) => {
    const policies = compile([{ name: "p", statement }], { partition: "svc", evaluator: "extended" });
    const asked = { user: "alice", required: leaf(text), context, contextOf };
    return finish(decideSetsInSteps(policies, asked)).effect;
  };
  it("allow nothing on a set, and deny all of it", () => {
    expect(on([allow("*", open)], `${REPOSITORY}_`)).toBe("neutral");
    expect(on([allow("*"), deny("*", open)], `${REPOSITORY}_`)).toBe("deny");
    expect(on([allow("*"), deny(`${REPOSITORY}other`, open)], `${REPOSITORY}data/_`)).toBe("allow");
  });
  it("are those of the resource where there is one", () => {
    expect(on([allow("*", open)], `${REPOSITORY}a`)).toBe("allow");
    expect(on([allow("*", open)], `${REPOSITORY}b`)).toBe("neutral");
    expect(on([allow("*"), deny("*", open)], `${REPOSITORY}b`)).toBe("allow");
  });
});
