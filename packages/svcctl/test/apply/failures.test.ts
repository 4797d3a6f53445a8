/** `svcctl apply` against servers that fail: what is said, and that nothing is done in silence. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { type Answer, replay } from "../replay-server.ts";
import { svcctl } from "../run-svcctl.ts";

const CHANGE = { action: "add", kind: "user", name: "ann", at: "/documents/0/users/0" };

function difference(changes: readonly object[], more: object = {}): Answer {
  const counts = { add: changes.length, change: 0, remove: 0, keep: 0 };
  const body = {
    manager: "svcctl",
    dry_run: true,
    changes,
    counts,
    removes_most: false,
    digest: "d1",
    refused: [],
    warnings: [],
    ...more,
  };
  return { status: 200, body };
}

const STALE: Answer = { status: 409, body: { message: "the difference is no longer the one" } };

async function apply(answers: readonly Answer[], ...args: string[]) {
  const server = await replay(answers);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a.yaml"), "format: 1\nusers:\n  - username: ann\n");
  const env = {
    ...server.env,
    SVCCTL_SERVER_RETRIES_MIN_WAIT_INTERVAL: "1ms",
    SVCCTL_SERVER_RETRIES_MAX_WAIT_INTERVAL: "2ms",
  };
  return { ...(await svcctl(["apply", "-f", "a.yaml", ...args], { cwd, env })), asked: server.asked };
}

describe("svcctl apply", () => {
  it("sends the difference that it showed along", async () => {
    const { code, asked } = await apply([difference([CHANGE]), difference([CHANGE], { dry_run: false })]);
    expect(code).toBe(0);
    expect(asked.map(({ line }) => line)).toEqual(["POST /api/v1/auth/apply", "POST /api/v1/auth/apply"]);
    expect(asked[0]?.body).toMatchObject({ dry_run: true, manager: "svcctl", prune: false });
    expect(asked[1]?.body).toMatchObject({ expected: "d1" });
    expect(asked[1]?.body).not.toHaveProperty("dry_run");
    expect(asked[1]?.body).not.toHaveProperty("yes");
  });

  it("recognizes an application whose answer was lost", async () => {
    const lost = { status: 503, body: { message: "gone" } };
    const { code, stdout, stderr } = await apply([difference([CHANGE]), lost, STALE, difference([])]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("applied: 1 added, 0 changed, 0 removed\n");
  });

  it("fails where something else is there by now", async () => {
    const { code, stderr } = await apply([difference([CHANGE]), STALE, difference([CHANGE, CHANGE])]);
    expect([code, stderr]).toEqual([1, "the difference is no longer the one\n409 Conflict\n"]);
  });

  it("fails where the server cannot be asked, or is another one", async () => {
    for (const answer of [
      { status: 401, body: { message: "error authenticating request" } },
      { status: 404, body: { message: "not found" } },
      { status: 200, body: { hello: "world" } },
      { status: 200, body: "<html>" },
    ]) {
      const { code, stdout, stderr } = await apply([answer]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).not.toBe("");
    }
  });

  it("asks on no terminal, and does nothing without an answer", async () => {
    const most = difference([{ action: "remove", kind: "user", name: "bob" }], { removes_most: true });
    const refused = await apply([most]);
    expect([refused.code, refused.asked.length]).toEqual([1, 1]);
    expect(refused.stderr).toContain("--yes");
    const { asked } = await apply([most], "--yes");
    expect(asked[1]?.body).toMatchObject({ yes: true, expected: "d1" });
  });

  it("shows names of others without obeying them", async () => {
    const { stdout } = await apply([difference([{ ...CHANGE, name: "\u001b[2Jann\n+ user eve" }]), STALE]);
    expect(stdout).toContain("+ user \\u001b[2Jann\\u000a+ user eve\n");
  });
});
