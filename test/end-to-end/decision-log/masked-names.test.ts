/** Masks hide what they name wherever a record has it (spec/decision-log §1.2). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isMasked, questionsOf } from "@svc-authorizer/policy/records/recorded-questions.ts";
import { afterAll, afterEach, expect, it } from "vitest";
import { cleanUp } from "../program.ts";
import { RecordingService } from "./recording-service.ts";

const NOTE = "arn:svc:demo:::note/hidden-resource";
const SUBJECT = { type: "user", id: "ada" };
let service: RecordingService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});
afterAll(cleanUp);

/** The record of a question with these masks, and its line. */
async function recorded(mask: readonly string[], path: string, body: unknown) {
  service = await RecordingService.start(
    {
      format: 1,
      users: [{ username: "ada", policies: ["All"] }],
      policies: [{ name: "All", statement: [{ effect: "allow", action: ["demo:*"], resource: "*" }] }],
      resource_types: [
        { type: "note", arn: "arn:svc:demo:::note/{id}", id: "{id}", actions: { read: "demo:Read" } },
      ],
    },
    { "authorizer.decision_log.mask": mask },
  );
  const record = await service.recordOf(path, body);
  return { record, line: readFileSync(join(service.folder, "0000000001.jsonl"), "utf8") };
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

it.each([["/subject/id"], ["/subject"], ["/subject/*"], ["/*/id"]])(
  "%s hides the name of the subject, also where it says how a policy reaches it",
  async (mask) => {
    const { record, line } = await recorded([mask], "/check", TREE);
    expect(line).not.toContain("ada");
    expect(record.determining).toMatchObject([{ policy: "All", via: [{ user: record.subject.id }] }]);
  },
);

it.each([
  [["/resource/*"], "hidden-resource"],
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
    await service?.close();
    service = undefined;
    expect(line).not.toContain(hidden);
    expect(record.error).toMatch(/^unknown (action|resource)$/);
  }
});
