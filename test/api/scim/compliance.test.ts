/** The checks of scim2-tester, which others wrote, against a service that runs as a process does. */
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, describe, expect, it } from "vitest";

/** Python with scim2-tester; CI makes an environment and names it. */
const PYTHON = process.env["SCIM_PYTHON"] ?? "python3";
const isThere = spawnSync(PYTHON, ["-c", "import httpx2, scim2_tester"]).status === 0;
const TOKEN = "token-of-the-compliance-0123456789abcdef";

/**
 * Checks that do not pass. They give a group a member, and want back exactly what they gave; the service adds the name
 * of the member as `display`, which the schema calls `readOnly`.
 */
const DISPLAY_OF_MEMBERS = ["check_add_attribute", "check_replace_attribute"];

let authorizer: TestAuthorizer | undefined;
afterAll(() => authorizer?.close());

describe("scim2-tester", () => {
  it.skipIf(!isThere)("passes all checks but two, which take no name that a server adds", async () => {
    authorizer = await startAuthorizer({
      config: { authorizer: { tokens: [{ name: "idp", token: TOKEN, scopes: ["scim"] }] } },
    });
    const script = join(import.meta.dirname, "compliance.py");
    const { stdout } = await promisify(execFile)(PYTHON, [script, authorizer.url, TOKEN]);
    const { passed, failed } = JSON.parse(stdout) as {
      readonly passed: number;
      readonly failed: readonly {
        readonly check: string;
        readonly resource: string;
        readonly reason: string;
      }[];
    };
    expect(failed.map(({ check }) => check).sort()).toEqual(DISPLAY_OF_MEMBERS);
    for (const { resource, reason } of failed) {
      expect(resource).toBe("Group");
      expect(reason).toMatch(/unexpected value for 'members'[\s\S]*display=None[\s\S]*display='/);
    }
    expect(passed).toBeGreaterThanOrEqual(123);
  });
});
