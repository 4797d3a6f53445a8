import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";
import { GENERALISATIONS } from "../../../src/insight/access-review/suggest/generalise.ts";
import { suggestPolicies } from "../../../src/insight/access-review/suggest/suggest-policies.ts";

const REPOSITORY = "arn:svc:fs:::repository";
const ACTIONS = ["fs:ReadObject", "fs:ListObjects", "fs:WriteObject"];

describe("a suggestion for much use", () => {
  const held = Array.from({ length: 10 }, (_, index): NamedStatements => {
    const own = `${REPOSITORY}/repo-${index}`;
    return {
      name: `P${index}`,
      statement: [
        { effect: "allow", action: ["fs:Read*", "fs:List*", "fs:WriteObject"], resource: `${own}/*` },
        { effect: "deny", action: ["fs:Delete*"], resource: `${own}/object/keep/*` },
      ],
    };
  });
  const used = Array.from({ length: 3_000 }, (_, index) => ({
    user: "alice",
    required: {
      action: ACTIONS[index % ACTIONS.length] as string,
      resource: `${REPOSITORY}/repo-${index % 10}/object/d${index % 7}/f${index}`,
    },
    context: new Map(),
  }));

  it.each(GENERALISATIONS)("is found and proven in seconds: %s", (generalise) => {
    const found = suggestPolicies({ partition: "svc", held, used, generalise, name: "S", user: "alice" });
    expect(found).toMatchObject({ narrowed: true, generalise });
    const [policy] = found?.policies ?? [];
    // Denies of actions that are no longer allowed are not kept.
    expect(policy?.statement.every(({ effect }) => effect === "allow")).toBe(true);
    const resources = policy?.statement.flatMap(({ resource }) => JSON.parse(resource) as string[]) ?? [];
    expect(resources.length).toBe(generalise === "none" ? used.length : held.length);
  });
});
