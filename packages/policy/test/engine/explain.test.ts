import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { explain } from "@svc-authorizer/policy/engine/explain/explain.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";
import { context, policiesOf, required, user } from "./arbitraries.ts";

const options = { partition: "svc", evaluator: "extended" } as const;
const read: NamedStatements = {
  name: "ReadR",
  statement: [{ effect: "allow", action: ["fs:List*", "fs:Read*"], resource: "arn:svc:fs:::repository/r/*" }],
};
const noSecrets: NamedStatements = {
  name: "NoSecrets",
  statement: [
    { effect: "allow", action: ["fs:ListRepositories"], resource: "*" },
    { effect: "deny", action: ["fs:*"], resource: "arn:svc:fs:::repository/r/object/secret*" },
  ],
};
const ask = (action: string, resource: string) => ({
  user: "alice",
  required: { action, resource: `arn:svc:fs:::repository/${resource}` },
  context: new Map<string, string>(),
});

describe("an explanation", () => {
  const policies = compile([read, noSecrets], options);

  it("names the statement that allows, with the patterns that matched", () => {
    const { effect, determining, tree } = explain(policies, ask("fs:ReadObject", "r/object/a"));
    expect(effect).toBe("allow");
    expect(determining).toEqual([
      {
        policy: "ReadR",
        statement: 0,
        effect: "allow",
        action: "fs:Read*",
        resource: "arn:svc:fs:::repository/r/*",
      },
    ]);
    expect(tree).toMatchObject({ action: "fs:ReadObject", effect: "allow" });
  });

  it("names the statement that denies and not those it overrules", () => {
    const { effect, determining } = explain(policies, ask("fs:ReadObject", "r/object/secret-1"));
    expect(effect).toBe("deny");
    expect(determining).toEqual([
      expect.objectContaining({ policy: "NoSecrets", statement: 1, action: "fs:*" }),
    ]);
  });

  it("names a statement that cannot be evaluated as what denies everything", () => {
    const broken = { name: "Broken", statement: [{ effect: "allow", action: ["fs:*"], resource: "[oops]" }] };
    const { effect, determining } = explain(
      compile([read, broken], options),
      ask("fs:ReadObject", "r/object/a"),
    );
    expect(effect).toBe("deny");
    expect(determining).toEqual([
      { policy: "Broken", statement: 0, effect: "allow", action: "", resource: "[oops]" },
    ]);
  });

  it("tells what nearly allowed, the closest first", () => {
    const office = {
      name: "Office",
      statement: [
        {
          effect: "allow",
          action: ["fs:*"],
          resource: "*",
          condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
        },
      ],
    };
    const { effect, nearMisses } = explain(
      compile([read, office], options),
      ask("fs:ReadObject", "q/object/a"),
    );
    expect(effect).toBe("neutral");
    expect(nearMisses.map(({ policy, why }) => [policy, why])).toEqual([
      ["Office", "condition"],
      ["ReadR", "resource"],
    ]);
    const action = explain(policies, ask("fs:WriteObject", "r/object/a")).nearMisses;
    expect(action.slice(0, 1)).toEqual([
      {
        policy: "ReadR",
        statement: 0,
        why: "action",
        detail: "fs:WriteObject is not among fs:List*, fs:Read*",
      },
    ]);
  });

  it("shows the effect of each node that was looked at", () => {
    const { tree } = explain(policies, {
      ...ask("", ""),
      required: {
        and: [
          ask("fs:WriteObject", "r/object/a").required,
          { or: [ask("fs:ReadObject", "r/object/a").required] },
        ],
      },
    });
    expect(tree).toMatchObject({ effect: "neutral", and: [{ effect: "neutral" }, { or: [{}] }] });
    expect(JSON.stringify(tree).match(/"effect"/g)).toHaveLength(2);
  });

  it("names what would deny another leaf too, since without the first deny that one would decide", () => {
    const broken = {
      name: "OnlyAddresses",
      statement: [
        {
          effect: "allow",
          action: ["fs:*"],
          resource: "*",
          condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
        },
      ],
    };
    const { effect, determining } = explain(compile([noSecrets, broken], options), {
      user: "alice",
      required: {
        or: [ask("fs:ReadObject", "q/object/a").required, ask("fs:ReadObject", "r/object/secret-1").required],
      },
      context: new Map([["SourceIp", "no address"]]),
    });
    expect(effect).toBe("deny");
    expect(determining.map(({ policy }) => policy).sort()).toEqual(["NoSecrets", "OnlyAddresses"]);
  });

  it("has the effect of the decision, and without what it names the decision is another", () => {
    fc.assert(
      fc.property(policiesOf(4), user, required, context, (given, name, tree, fields) => {
        const request = { user: name, required: tree, context: fields };
        const named = given.map((policy, index) => ({ ...policy, name: `${index}` }));
        const outcome = decide(compile(named, options), request);
        const { determining, effect, message } = explain(compile(named, options), request);
        expect({ effect, message }).toEqual({ effect: outcome.effect, message: outcome.message });
        // An empty `and` allows whatever the policies say; no entrance lets one in.
        if (effect === "neutral" || determining.length === 0 || JSON.stringify(tree).includes('"and":[]'))
          return;
        const rest = named.map((policy) => ({
          ...policy,
          statement: policy.statement.filter(
            (_, index) => !determining.some((one) => one.policy === policy.name && one.statement === index),
          ),
        }));
        expect(decide(compile(rest, options), request).effect).not.toBe(effect);
      }),
      { numRuns: sized(300, 3_000) },
    );
  });
});
