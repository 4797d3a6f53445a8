/** Explanations of records do not contradict them (spec/decision-log §3.2). */

import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { cleanUp, newFolder } from "../program.ts";

const KEY_ID = "AKIAJROOTROOTROOTROQ";
const SECRET = "a-secret-of-root-0123456789";
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
    await authorizer.directory.credentials.create("root", {
      access_key_id: KEY_ID,
      secret_access_key: SECRET,
    });
    const env = {
      SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY_ID,
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    };
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
