import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { svcctl } from "../../packages/svcctl/test/run-svcctl.ts";
import { noteRecording } from "../../src/decision-log/recorded-since.ts";
import type { DecisionLogSettings } from "../../src/decision-log/settings.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { decidedBy, openTestLog, settingsOf } from "./test-log.ts";

const dataset = (resource: string, extra: readonly object[] = []) => ({
  format: 1,
  users: [{ username: "alice", groups: ["Readers"] }],
  groups: [{ name: "Readers", policies: ["Read"] }],
  policies: [{ name: "Read", statement: [{ effect: "allow", action: ["fs:Read*"], resource }, ...extra] }],
});

const IN_FORCE = dataset("arn:svc:fs:::repository/*");
const NARROWER = dataset("arn:svc:fs:::repository/a*", [
  {
    sid: "Office",
    effect: "deny",
    action: ["*"],
    resource: "*",
    condition: { NotIpAddress: { SourceIp: ["10.0.0.0/8"] } },
  },
]);

async function logOf(resources: readonly string[], mask: readonly string[] = []): Promise<string> {
  const directory = temporaryFolder();
  const log = await openTestLog(directory, { segmentBytes: 2_000, compress: true, mask });
  for (const resource of resources) {
    log.decided(decidedBy("alice", resource));
    await log.written();
  }
  await log.close();
  return directory;
}

function run(log: string, to: object, ...more: readonly string[]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "from.json"), JSON.stringify(IN_FORCE));
  writeFileSync(join(cwd, "to.json"), JSON.stringify(to));
  const args = ["policy", "replay", "--log", log, "--from", "from.json", "--to", "to.json", ...more];
  return svcctl(args, { cwd });
}

describe("svcctl policy replay", () => {
  it("prints what changes, by the statement that changes it, and exits 1", async () => {
    const log = await logOf(["a", "b", "b|<b>", "a2", "c", "a3", "a4", "a5"]);
    const { code, stdout } = await run(log, NARROWER, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      records: 8,
      decisions: 8,
      wider: 0,
      narrower: 3,
      groups: [{ change: "narrower", side: "removed", policy: "Read", statement: 0, count: 3 }],
      missing_fields: ["SourceIp"],
    });
    const text = await run(log, NARROWER);
    expect(text.stdout).toContain("narrower: 3 requests without Read, statement 0");
    expect(text.stdout).toContain("lack condition fields that the new policies read: SourceIp");
    const markdown = await run(log, NARROWER, "--markdown", "--allow-narrowing");
    expect(markdown.code).toBe(0);
    expect(markdown.stdout).toContain("| narrower | Read, statement 0 | removed | 3 |");
    expect(markdown.stdout).not.toContain("b|<b>");
    expect((await run(log, NARROWER, "--allow-widening")).code).toBe(1);
  });

  it("shows nothing of others as markup, and no signs that steer a terminal", async () => {
    const field = "@owner \u001b[2J#1 <b>";
    const read = dataset("arn:svc:fs:::repository/*", [
      {
        sid: "@all #2",
        effect: "deny",
        action: ["*"],
        resource: "arn:svc:fs:::repository/b*",
        condition: { "ForAllValues:StringLike": { [field]: ["x"] } },
      },
    ]);
    const log = await logOf(["b @all", "a"]);
    const { stdout } = await run(log, read, "--markdown", "--allow-narrowing");
    expect(stdout).toContain("&#64;owner");
    expect(stdout).toContain("statement 1 (&#64;all &#35;2)");
    expect(stdout.replaceAll(/&#\d+;/g, "")).not.toMatch(/[@#<>]/);
    for (const text of [stdout, (await run(log, read)).stdout]) expect(text).not.toContain("\u001b");
  });

  it.each([["/subject/id"], ["/resource/arn"], ["/action"]])(
    "says what a masked %s keeps it from deciding",
    async (pointer) => {
      const { code, stdout } = await run(await logOf(["a", "b"], [pointer]), NARROWER);
      expect(code).toBe(0);
      expect(stdout).toContain("2 records with 0 decisions");
      expect(stdout).toContain("2 decisions are left out: their user or permission is masked in the log");
    },
  );

  it("says that properties differ, which it takes from the records", async () => {
    const log = await logOf(["a"]);
    const [alice] = IN_FORCE.users;
    const moved = {
      ...IN_FORCE,
      users: [{ ...alice, properties: { team: "red" } }],
      resources: [{ type: "repository", id: "a", properties: { level: "secret" } }],
    };
    const { code, stdout } = await run(log, moved, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      decisions: 1,
      changed_properties: { users: 1, resources: 1 },
    });
    const text =
      "Properties of users (1) and resources (1) differ; requests are decided with those of their records";
    expect((await run(log, moved)).stdout).toContain(text);
    expect((await run(log, moved, "--markdown")).stdout).toContain(text);
    expect((await run(log, IN_FORCE, "--json")).stdout).not.toContain("changed_properties");
  });

  it("says what the log does not have: allowed decisions, and some of batches", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory, { include: "denied", items: 2 });
    const { user, loaded, context } = decidedBy("alice", "a");
    const batch = log.batch({ entrance: "filter", requestId: "r", call: undefined });
    batch.about({ user, action: "fs:ReadObject", loaded, context });
    for (const id of ["x", "y", "z"]) batch.add({ effect: "neutral" }, `arn:svc:fs:::repository/${id}`);
    batch.add({ effect: "allow" }, "arn:svc:fs:::repository/a");
    await batch.end();
    await log.close();
    const { code, stdout } = await run(directory, IN_FORCE, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ decisions: 2, allowed: 0, unlisted: 2 });
    const text = (await run(directory, IN_FORCE)).stdout;
    expect(text).toContain("2 decisions of batches are left out: their records do not list them");
    expect(text).toContain(
      "No recorded decision was allowed: requests that would be refused now are not found",
    );
    const whole = (await run(await logOf(["a"]), IN_FORCE)).stdout;
    expect(whole).not.toMatch(/No recorded decision|left out/);
  });

  it("says that it counts too little where a share of the allowed decisions is recorded, or nobody knows", async () => {
    const log = await logOf(["a", "b"]);
    const said = async (include: DecisionLogSettings["include"], since: number) => {
      noteRecording(settingsOf(log, { include }), since);
      const { partly_recorded: partly } = JSON.parse((await run(log, NARROWER, "--json")).stdout);
      return { partly, text: (await run(log, NARROWER)).stdout };
    };
    const unknown = "Of the time of 2 records it is not known which allowed decisions were recorded";
    expect((await run(log, NARROWER)).stdout).toContain(unknown);
    const later = await said("all", Date.now() + 60_000);
    expect(later.partly).toEqual({ shares: [], unknown: 2 });
    expect(later.text).toContain(unknown);
    const shared = await said(0.05, 0);
    expect(shared.partly).toEqual({ shares: [0.05], unknown: 0 });
    expect(shared.text).toContain("Of the allowed decisions a share of 0.05 is recorded");
    const whole = await said("all", 0);
    expect(whole.partly).toBeUndefined();
    expect(whole.text).not.toMatch(/is recorded|not known/);
  });

  it("says that there is no such folder", async () => {
    const { code, stderr } = await run(join(temporaryFolder(), "none"), IN_FORCE);
    expect(code).toBe(1);
    expect(stderr).toContain("the decision log cannot be read: ENOENT: no such file or directory");
  });

  it("exits 0 where nothing changes", async () => {
    const { code, stdout } = await run(await logOf(["a"]), IN_FORCE);
    expect(code).toBe(0);
    expect(stdout).toContain("0 would be allowed that were refused, 0 refused that were allowed");
  });

  it("needs a log with records, and data sets with users", async () => {
    const empty = await run(temporaryFolder(), IN_FORCE);
    expect(empty.code).toBe(1);
    expect(empty.stderr).toContain("has no records");
    const policies = { format: 1, policies: IN_FORCE.policies };
    const faulty = await run(await logOf(["a"]), policies);
    expect(faulty.code).not.toBe(0);
    expect(faulty.stderr).toContain("names no users");
  });
});
