/** A decision that no policies made is not decided again by an explanation or a replay (spec/decision-log §1.3, spec/decision-log §4.1). */

import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { Replay } from "@svc-authorizer/policy/records/replay/replay.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { cleanUp } from "../program.ts";
import { RecordingService } from "./recording-service.ts";
import { withRootKey } from "./root-key.ts";

const NOTE = "arn:svc:demo:::note/a1";
const ALL = { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] } as const;
let service: RecordingService;
let env: Awaited<ReturnType<typeof withRootKey>>;
beforeAll(async () => {
  service = await RecordingService.start({
    format: 1,
    users: [{ username: "root", policies: ["All"] }],
    policies: [ALL],
    resource_types: [
      { type: "note", arn: "arn:svc:demo:::note/{id}", id: "{id}", actions: { read: "demo:Read" } },
    ],
  });
  env = await withRootKey(service.authorizer);
});
afterAll(async () => {
  await service.close();
  cleanUp();
});

const user = (id: string) => ({ type: "user", id });
const resource = { type: "note", id: "a1" };
const action = { name: "demo:Read" };
/** Questions that `All` would allow root, if it were root who was asked about, and about this. */
const NEVER = [
  ["an unknown type of subjects", { subject: { type: "robot", id: "root" } }, "unknown subject"],
  ["an unknown type of resources", { resource: { type: "no", id: NOTE } }, "unknown resource"],
  ["an unknown action", { action: { name: "no" } }, "unknown action"],
] as const;
const root = { subject: user("root"), action, resource };

/** The report of a replay after which somebody may do everything. */
function replayed(record: LoggedDecision, who: string) {
  const after = (name: string) => (name === who ? [ALL] : undefined);
  const replay = new Replay({ partition: "svc", before: () => undefined, after, examples: 1 });
  replay.add(record);
  return replay.report();
}

describe("in a batch", () => {
  it.each(NEVER)("%s", async (_name, part, error) => {
    const record = await service.recordOf("/evaluations", { ...root, evaluations: [part, {}] });
    expect(record.items).toMatchObject([{ decision: false, error }, { decision: true }]);
    expect(record.items?.[1]).not.toHaveProperty("error");
    const { id, type } = { ...resource, ...("resource" in part ? part.resource : {}) };
    expect(record.items?.[0]?.resource).toMatchObject({ type, id });

    expect(replayed(record, "root")).toMatchObject({ decisions: 1, wider: 1 });

    const shown = await svcctl(["decisions", "show", `${record.id}.0`, "--explain"], { env });
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain(`Error: ${error}`);
    expect(shown.stdout).not.toContain("allow");
  });
});

describe("a decision alone", () => {
  it.each(NEVER)("%s", async (_name, part, error) => {
    const record = await service.recordOf("/evaluation", { ...root, ...part });
    expect(record).toMatchObject({ decision: false, error });
    const { id, type } = { ...resource, ...("resource" in part ? part.resource : {}) };
    expect(record.resource).toMatchObject({ type, id });
    expect(replayed(record, "root").decisions).toBe(0);
  });
});

describe("a replay says whom the new policies let in of those whom the directory did not know", () => {
  const required = { action: "demo:Read", resource: NOTE };
  it.each([
    ["/check", { user: "zoe", required }],
    ["/evaluation", { ...root, subject: user("zoe") }],
    ["/evaluations", { ...root, evaluations: [{ subject: user("zoe") }] }],
    ["/filter", { user: "zoe", action: "demo:Read", resources: [NOTE] }],
    ["/request", { user: "zoe", api: "main", method: "GET", path: "/api/v1/repositories/data" }],
  ])("%s", async (path, body) => {
    const record = await service.recordOf(path, body);
    expect([record.error, record.items?.[0]?.error].join("")).toMatch(/^unknown.user$/);
    expect(replayed(record, "zoe")).toMatchObject({ decisions: 1, wider: 1 });
    expect(replayed(record, "root")).toMatchObject({ decisions: 1, wider: 0 });
  });
});
