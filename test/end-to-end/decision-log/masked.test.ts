/** Explanations name what masks keep them from saying (spec/decision-log §3.2). */

import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { cleanUp, newFolder, whileRepeated } from "../program.ts";
import { withRootKey } from "./root-key.ts";

const DATASET = {
  format: 1,
  users: [
    { username: "alice", policies: ["Inside"] },
    { username: "root", policies: ["All"] },
  ],
  policies: [
    {
      name: "Inside",
      statement: [
        {
          effect: "allow",
          action: ["fs:ReadObject"],
          resource: "*",
          condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
        },
      ],
    },
    { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] },
  ],
};

afterAll(cleanUp);

/** Returns the text of `decisions show --explain` about a decision of a service with these masks. */
async function explainedWith(mask: string): Promise<string> {
  const authorizer = await startAuthorizer({
    dataset: DATASET as never,
    config: {
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": newFolder(),
      "authorizer.decision_log.mask": mask,
    },
  });
  try {
    const env = await withRootKey(authorizer);
    const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/a" };
    await authorizer.client.check({ user: "alice", required, context: { SourceIp: "10.1.2.3" } });
    const listed = await svcctl(["decisions", "list", "--action", "fs:*", "-o", "json"], { env });
    const [record] = JSON.parse(listed.stdout);
    const shown = await svcctl(["decisions", "show", record.id, "--explain"], { env });
    expect(shown.code, shown.stderr).toBe(0);
    return shown.stdout;
  } finally {
    await authorizer.close();
  }
}

it("of a condition field that the policies read", async () => {
  const text = await explainedWith("SourceIp");
  expect(text).toContain("Effect: allow");
  expect(text).toContain(
    "The policies read condition fields that are masked in the log, so that the reasons may be others: SourceIp",
  );
});

it("of the user: there are no reasons", async () => {
  const text = await explainedWith("/subject/id");
  expect(text).toContain("This decision cannot be explained: its user or permission is masked in the log");
  expect(text).not.toContain("unknown");
});

it("lists say that a filter finds no masked values", async () => {
  const authorizer = await startAuthorizer({
    dataset: DATASET as never,
    config: {
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": newFolder(),
      "authorizer.decision_log.mask": "/subject/id",
    },
  });
  try {
    const env = await withRootKey(authorizer);
    const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/a" };
    await authorizer.client.check({ user: "alice", required });
    const text = "the log masks what was asked for (subject): records with masked values are not found";
    for (const subject of ["alice", "al*"]) {
      const listed = await svcctl(["decisions", "list", "--subject", subject], { env });
      expect(listed.code, listed.stderr).toBe(0);
      expect(listed.stderr).toContain(text);
    }
    const others = await svcctl(["decisions", "list", "--action", "fs:ReadObject"], { env });
    expect(others.stderr).not.toContain("masks");
    const tail = svcctl(["decisions", "tail", "--subject", "*", "--count", "1"], { env });
    // It follows what comes after its start, which nothing announces.
    const { code, stderr } = await whileRepeated(tail, () =>
      authorizer.client.check({ user: "alice", required }),
    );
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(text);
  } finally {
    await authorizer.close();
  }
});
