/** A replay from a server knows who was inactive: such a user may do nothing (spec/decision-log §4.1). */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { cleanUp, newFolder } from "../program.ts";
import { withRootKey } from "./root-key.ts";

const POLICIES = [{ name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] }];
const ina = { username: "ina", policies: ["All"] };
const root = { username: "root", policies: ["All"] };

afterAll(cleanUp);

it.each([
  ["denied", undefined],
  ["0.000001", { shares: [0.000001], unknown: 0 }],
])(
  "says that policies let somebody in who was inactive, and what is recorded: %s",
  async (include, partly) => {
    const authorizer = await startAuthorizer({
      dataset: { format: 1, users: [{ ...ina, inactive: true }, root], policies: POLICIES } as never,
      config: {
        "authorizer.decision_log.include": include,
        "authorizer.decision_log.directory": newFolder(),
      },
    });
    try {
      const env = await withRootKey(authorizer);
      const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/a" };
      expect((await authorizer.client.check({ user: "ina", required })).allowed).toBe(false);
      const listed = await svcctl(["decisions", "list", "--subject", "ina", "-o", "json"], { env });
      const [{ id }] = JSON.parse(listed.stdout);
      const shown = await svcctl(["decisions", "show", id, "--json"], { env });
      const { revision } = JSON.parse(shown.stdout).record;
      const file = join(newFolder(), "active.json");
      writeFileSync(file, JSON.stringify({ format: 1, users: [ina, root], policies: POLICIES }));
      const args = ["policy", "replay", "--server", "--from", String(revision), "--to", file, "--json"];
      const { code, stdout, stderr } = await svcctl(args, { env });
      const report = JSON.parse(stdout);
      expect(report, stderr).toMatchObject({ decisions: 1, wider: 1, narrower: 0 });
      expect(report.partly_recorded).toEqual(partly);
      expect(code).toBe(1);
    } finally {
      await authorizer.close();
    }
  },
);
