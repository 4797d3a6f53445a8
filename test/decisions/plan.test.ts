import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { Condition, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";
import { TypePattern } from "../../src/decisions/plan/plan-patterns.ts";
import { NEVER, planInSteps } from "../../src/decisions/plan/planning.ts";
import type { Plan } from "../../src/decisions/searches.ts";

const R = "arn:svc:demo:::record/";

type Written = readonly [effect: string, resource: string, condition?: Condition];

function plan(
  written: readonly Written[],
  {
    user = "alice",
    context = {},
    within,
  }: { user?: string; context?: Record<string, string>; within?: string } = {},
): Plan {
  const statement = written.map(
    ([effect, resource, condition]): Statement => ({
      effect,
      action: ["demo:*"],
      resource,
      ...(condition === undefined ? {} : { condition }),
    }),
  );
  const policies = compile([{ name: "p", statement }], { partition: "svc", evaluator: "extended" });
  const steps = planInSteps(policies, {
    user,
    action: "demo:Read",
    context: new Map(Object.entries(context)),
    ...(within === undefined ? {} : { within: new TypePattern(within, "svc") }),
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const only = (parts: Partial<Plan>): Plan => ({
  kind: "conditional",
  allow: [],
  deny: [],
  conditional: [],
  ...parts,
});
const always = (...allow: string[]): Plan => only({ kind: "always", allow });

describe("a plan", () => {
  it("is always where everything is allowed and nothing denied", () => {
    expect(plan([["allow", "*"]])).toEqual(always("*"));
    expect(
      plan([
        ["allow", "*"],
        ["deny", `${R}secret`],
      ]),
    ).toEqual(only({ allow: ["*"], deny: [`${R}secret`] }));
  });

  it("is never where nothing is allowed, everything denied, or a statement cannot be evaluated", () => {
    expect(plan([])).toEqual(NEVER);
    expect(plan([["deny", `${R}a`]])).toEqual(NEVER);
    expect(
      plan([
        ["allow", "*"],
        ["deny", "*"],
      ]),
    ).toEqual(NEVER);
    expect(
      plan([
        ["allow", "*"],
        ["allow", "[oops]"],
      ]),
    ).toEqual(NEVER);
    expect(
      plan([
        ["allow", "*"],
        ["allow", "*", { Unknown: {} }],
      ]),
    ).toEqual(NEVER);
    expect(plan([["allow", "no ARN"]])).toEqual(NEVER);
  });

  it("names each pattern once and leaves out what others cover", () => {
    expect(
      plan([
        ["allow", `["${R}a/*","${R}a/b","${R}c","${R}a/b/*"]`],
        ["allow", `${R}c`],
        ["allow", `${R}?/x`],
        ["deny", `${R}a/b/c/*`],
        ["allow", `${R}a/b/c/d`],
        ["allow", `${R}q`],
        ["deny", `${R}q`],
        ["allow", `${R}a/z`, { StringEquals: { "resource.x": ["1"] } }],
      ]),
    ).toEqual(only({ allow: [`${R}a/*`, `${R}c`, `${R}?/x`], deny: [`${R}a/b/c/*`, `${R}q`] }));
  });

  it("keeps what another service or account has", () => {
    const patterns = ["arn:svc:demo:::*", "arn:svc:other:::x", "arn:svc:demo::1:x"];
    expect(plan([["allow", JSON.stringify(patterns)]]).allow).toEqual(patterns);
  });

  it("fills in the name of the user", () => {
    expect(plan([["allow", `${R}\${user}/*`]], { user: "zoë" }).allow).toEqual([`${R}zoë/*`]);
  });

  it("leaves out allows for a name that would act as a wildcard, and keeps denies", () => {
    expect(
      plan(
        [
          ["allow", `${R}\${user}`],
          ["allow", `${R}open`],
          ["deny", `${R}\${user}/x`],
        ],
        { user: "a*" },
      ),
    ).toEqual(only({ allow: [`${R}open`], deny: [`${R}a*/x`] }));
  });

  const active = { StringEquals: { "resource.status": ["active"] } };

  it("decides conditions as far as what is known goes", () => {
    const both = { StringEquals: { "subject.role": ["admin"], "resource.status": ["active"] } };
    const conditional = [{ effect: "allow" as const, resource: "*", condition: active }];
    expect(plan([["allow", "*", both]], { context: { "subject.role": "admin" } })).toEqual(
      only({ conditional }),
    );
    expect(plan([["allow", "*", both]], { context: { "subject.role": "guest" } })).toEqual(NEVER);
    expect(plan([["allow", "*", active]], { context: { "resource.status": "active" } })).toEqual(always("*"));
    expect(plan([["allow", "*", both]])).toEqual(
      only({ conditional: [{ effect: "allow", resource: "*", condition: both }] }),
    );
  });

  it("keeps a deny that can only be unreadable as one that is never satisfied", () => {
    const both = { StringEquals: { "subject.role": ["guest"], "resource.status": ["active"] } };
    const found = plan(
      [
        ["allow", "*"],
        ["deny", "*", both],
      ],
      { context: { "subject.role": "admin" } },
    );
    expect(found.conditional).toEqual([
      {
        effect: "deny",
        resource: "*",
        condition: { StringEquals: { "resource.status": ["active"] }, StringLike: { "": [] } },
      },
    ]);
  });

  it("fills in variables that are known, as text that stands for itself", () => {
    const condition = {
      StringLike: { "resource.path": ["${user}"] },
      StringEquals: {
        "resource.owner": ["${user}", "${subject.team}", "${context.x, 'none'}", "${$}{user}"],
      },
    };
    const [found] = plan([["allow", "*", condition]], {
      user: "a*",
      context: { "subject.team": "t${x}?" },
    }).conditional;
    expect(found?.condition).toEqual({
      // One of the data server's operators: there it is ordinary text.
      StringLike: { "resource.path": ["${user}"] },
      StringEquals: {
        "resource.owner": ["a${*}", "t${$}{x}${?}", "${context.x, 'none'}", "${$}{user}"],
      },
    });
  });

  it("says that an address which is none would deny everything, for as long as it is not known", () => {
    const office = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
    const statements: Written[] = [
      ["allow", `${R}a`],
      ["allow", `${R}b`, office],
    ];
    expect(plan(statements, { context: { SourceIp: "10.1.2.3" } })).toEqual(
      only({ allow: [`${R}a`, `${R}b`] }),
    );
    expect(plan(statements, { context: { SourceIp: "no address" } })).toEqual(NEVER);
    expect(plan(statements).conditional).toEqual([
      { effect: "deny", resource: "*", condition: { NotIpAddress: { SourceIp: ["0.0.0.0/0", "::/0"] } } },
      { effect: "allow", resource: `${R}b`, condition: office },
    ]);
  });
});

describe("a plan for one type", () => {
  const within = `${R}*`;

  it("is always where all resources of the type are allowed", () => {
    expect(plan([["allow", `${R}*`]], { within })).toEqual(always(`${R}*`));
    expect(plan([["allow", "arn:svc:demo:::rec*"]], { within })).toEqual(always("arn:svc:demo:::rec*"));
    expect(plan([["allow", `${R}a*`]], { within }).kind).toBe("conditional");
  });

  it("is never where all of them are denied", () => {
    expect(
      plan(
        [
          ["allow", "*"],
          ["deny", "arn:svc:demo:::rec*"],
        ],
        { within },
      ),
    ).toEqual(NEVER);
  });

  it("has only patterns that its resources can match", () => {
    const meeting = [`${R}a`, "arn:svc:demo:::re?ord/x", "arn:svc:demo:eu::*/x", "arn:svc:demo:::日*"];
    const others = ["arn:svc:demo:::file/*", "arn:svc:other:::record/*", "arn:svc:demo::1:record/a"];
    expect(plan([["allow", JSON.stringify([...meeting, ...others])]], { within }).allow).toEqual(meeting);
    expect(plan([["allow", JSON.stringify(others)]], { within })).toEqual(NEVER);
  });
});
