/** Masks hide what they name wherever a record has it (spec/decision-log §1.2). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDecision, type LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { isMasked, questionsOf } from "@svc-authorizer/policy/records/recorded-questions.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, afterEach, expect, it } from "vitest";
import { linesOf } from "../../decision-log/test-log.ts";
import { cleanUp, newFolder } from "../program.ts";

const NOTE = "arn:svc:demo:::note/hidden-resource";
const SUBJECT = { type: "user", id: "ada" };
let authorizer: TestAuthorizer | undefined;
afterEach(async () => {
  await authorizer?.close();
  authorizer = undefined;
});
afterAll(cleanUp);

/** The record of a question with these masks, and its line. */
async function recorded(mask: readonly string[], path: string, body: unknown) {
  const folder = newFolder();
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: "ada", policies: ["All"] }],
      policies: [{ name: "All", statement: [{ effect: "allow", action: ["demo:*"], resource: "*" }] }],
      resource_types: [
        { type: "note", arn: "arn:svc:demo:::note/{id}", id: "{id}", actions: { read: "demo:Read" } },
      ],
    } as never,
    config: {
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": folder,
      "authorizer.decision_log.sync": "each",
      "authorizer.decision_log.mask": mask,
      "authorizer.node_name": "n",
    } as never,
  });
  const answer = await fetch(`${authorizer.url}/access/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  const record = linesOf(join(folder, "n-0")).filter(isDecision).at(-1) as LoggedDecision;
  return { record, line: readFileSync(join(folder, "n-0", "0000000001.jsonl"), "utf8") };
}

const TREE = {
  user: "ada",
  required: {
    and: [
      { action: "demo:HiddenAction", resource: NOTE },
      {
        or: [
          { any_resource: { action: "demo:HiddenAction" } },
          { action: "demo:HiddenAction", resource: NOTE },
        ],
      },
    ],
  },
};

it.each([
  [["/resource/arn"], "hidden-resource"],
  [["/resource"], "hidden-resource"],
  [["/action"], "HiddenAction"],
  [["/required", "/action", "/resource/arn"], "(?:hidden-resource|HiddenAction)"],
])("%j hides the permissions of a tree", async (mask, hidden) => {
  const { record, line } = await recorded(mask, "/check", TREE);
  expect(line).not.toMatch(new RegExp(hidden));
  const { and: [first, second] = [] } = record.required as { and?: { action?: string; or?: object[] }[] };
  // Equal values stay equal, and the tree keeps its form.
  expect(second?.or?.[1]).toEqual(first);
  expect(record).toMatchObject({ decision: true, effect: "allow" });
  expect(questionsOf(record).map(isMasked)).toEqual([true]);
});

it.each([
  [["/action"], "hidden"],
  [["/resource"], "secret"],
])("%j hides what an error could name", async (mask, hidden) => {
  const body = { subject: SUBJECT, action: { name: "hidden" }, resource: { type: "note", id: "a" } };
  const other = { subject: SUBJECT, action: { name: "read" }, resource: { type: "secret", id: "secret" } };
  for (const question of [body, other]) {
    const { record, line } = await recorded(mask, "/evaluation", question);
    await authorizer?.close();
    authorizer = undefined;
    expect(line).not.toContain(hidden);
    expect(record.error).toMatch(/^unknown (action|resource)$/);
  }
});
