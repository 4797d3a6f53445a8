/** The record that docs/decision-log.md shows is one that the service writes. */
import { globSync, readFileSync } from "node:fs";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const PAGE = readFileSync(new URL("../../docs/decision-log.md", import.meta.url), "utf8");
const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? "null");
const TOKEN = "token-of-the-page-0123456789abcdef012";

const directory = temporaryFolder();
let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      policies: [
        {
          name: shown.determining[0].policy,
          statement: [
            { effect: "allow", action: ["fs:ReadObject"], resource: "arn:svc:fs:::repository/data/*" },
          ],
        },
      ],
      groups: [{ name: shown.determining[0].via[0].group, policies: [shown.determining[0].policy] }],
      users: [{ username: shown.subject.id, groups: [shown.determining[0].via[0].group] }],
    },
    config: {
      authorizer: {
        node_name: shown.node,
        decision_log: { include: "all", directory },
        tokens: [{ name: shown.caller.name, token: TOKEN, scopes: ["decide"] }],
      },
    },
  });
});
afterAll(() => authorizer?.close());

/** The first record of a decision that is on the disk. */
function firstRecord(): Record<string, unknown> | undefined {
  const lines = globSync(`${directory}/*/*`).flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return lines
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .find((record) => record.entrance === shown.entrance);
}

it("has its members, and says the same about the same question", async () => {
  const body = { user: shown.subject.id, required: { action: shown.action, resource: shown.resource.arn } };
  const response = await fetch(`${authorizer.url}/access/v1/${shown.entrance}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  await expect.poll(firstRecord).toBeDefined();
  const written = firstRecord();
  expect(Object.keys(written ?? {}).sort()).toEqual(Object.keys(shown).sort());
  const { format, node, entrance, subject, action, resource, decision, effect, determining } = shown;
  expect(written).toMatchObject({
    format,
    node,
    entrance,
    subject,
    action,
    resource,
    decision,
    effect,
    determining,
    caller: { name: shown.caller.name, peer: expect.any(String) },
  });
});
