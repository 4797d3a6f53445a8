/** Explanations of records do not contradict them (spec/decision-log §3.2). */

import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { cleanUp, newFolder } from "../program.ts";
import { withRootKey } from "./root-key.ts";

const allow = (name: string) => ({
  name,
  statement: [{ effect: "allow", action: ["*"], resource: "*" }],
});

afterAll(cleanUp);

it("a refusal that the policies alone would have allowed", async () => {
  const authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [
        { username: "many", policies: ["A", "B", "C"] },
        { username: "root", policies: ["A"] },
      ],
      policies: ["A", "B", "C"].map(allow),
    } as never,
    config: {
      "authorizer.limits.policies_per_user": 2,
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": newFolder(),
    } as never,
  });
  try {
    const env = await withRootKey(authorizer);
    const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/a" };
    const { id, allowed } = await authorizer.client.check({ user: "many", required });
    expect(allowed).toBe(false);
    const shown = await svcctl(["decisions", "show", String(id), "--explain"], { env });
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain("Effect: deny");
    expect(shown.stdout).toContain("The policies of that time give another effect");
    expect(shown.stdout).not.toContain("allow fs:ReadObject");
  } finally {
    await authorizer.close();
  }
});
