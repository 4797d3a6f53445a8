/** A decision that no policies made is not decided again by an explanation or a replay (spec/decision-log §1.3, spec/decision-log §4.1). */

import { join } from "node:path";
import { isDecision, type LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { Replay } from "@svc-authorizer/policy/records/replay/replay.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { linesOf } from "../../decision-log/test-log.ts";
import { cleanUp, newFolder } from "../program.ts";

const KEY_ID = "AKIAJROOTROOTROOTROQ";
const SECRET = "a-secret-of-root-0123456789";
const NOTE = "arn:svc:demo:::note/a1";
const ALL = { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] } as const;
const folder = newFolder();
let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: "root", policies: ["All"] }],
      policies: [ALL],
      resource_types: [
        { type: "note", arn: "arn:svc:demo:::note/{id}", id: "{id}", actions: { read: "demo:Read" } },
      ],
    } as never,
    config: {
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": folder,
      "authorizer.decision_log.sync": "each",
      "authorizer.node_name": "n",
    },
  });
  await authorizer.directory.credentials.create("root", {
    access_key_id: KEY_ID,
    secret_access_key: SECRET,
  });
});
afterAll(async () => {
  await authorizer.close();
  cleanUp();
});

async function recordOf(path: string, body: unknown): Promise<LoggedDecision> {
  const answer = await fetch(`${authorizer.url}/access/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return linesOf(join(folder, "n-0")).filter(isDecision).at(-1) as LoggedDecision;
}

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
    const record = await recordOf("/evaluations", { ...root, evaluations: [part, {}] });
    expect(record.items).toMatchObject([{ decision: false, error }, { decision: true }]);
    expect(record.items?.[1]).not.toHaveProperty("error");
    const { id, type } = { ...resource, ...("resource" in part ? part.resource : {}) };
    expect(record.items?.[0]?.resource).toMatchObject({ type, id });

    expect(replayed(record, "root")).toMatchObject({ decisions: 1, wider: 1 });

    const env = {
      SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY_ID,
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    };
    const shown = await svcctl(["decisions", "show", `${record.id}.0`, "--explain"], { env });
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain(`Error: ${error}`);
    expect(shown.stdout).not.toContain("allow");
  });
});

describe("a decision alone", () => {
  it.each(NEVER)("%s", async (_name, part, error) => {
    const record = await recordOf("/evaluation", { ...root, ...part });
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
    const record = await recordOf(path, body);
    expect([record.error, record.items?.[0]?.error].join("")).toMatch(/^unknown.user$/);
    expect(replayed(record, "zoe")).toMatchObject({ decisions: 1, wider: 1 });
    expect(replayed(record, "root")).toMatchObject({ decisions: 1, wider: 0 });
  });
});
