import { describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { allow, folderWith, REPO, soundPolicy } from "./example-folder.ts";

describe("policy explain", () => {
  const FILES = {
    "sound.json": soundPolicy,
    "data.json": {
      format: 1,
      policies: [soundPolicy],
      groups: [{ name: "G", policies: ["Sound"] }],
      users: [{ username: "ana", groups: ["G"] }],
    },
  };
  const explain = (files: string, user: string, action: string, ...more: string[]) =>
    svcctl(
      [
        "policy",
        "explain",
        "--policies",
        files,
        "--user",
        user,
        "--action",
        action,
        "--resource",
        `${REPO}r/object/o`,
        ...more,
      ],
      { cwd: folderWith(FILES) },
    );

  it("says which statement allows, and through which group", async () => {
    const { code, stdout } = await explain("data.json", "ana", "fs:ReadObject");
    expect(code).toBe(0);
    expect(stdout).toContain("Allowed: ana may fs:ReadObject");
    expect(stdout).toContain("policy Sound, statement 0 (Objects)");
    expect(stdout).toContain("through the group G");
  });

  it("says what nearly allowed, with exit code 3", async () => {
    const { code, stdout } = await explain("sound.json", "anybody", "fs:WriteObject");
    expect(code).toBe(3);
    expect(stdout).toContain("Nearly allowed");
    expect(stdout).toContain("fs:WriteObject is not among fs:ReadObject");
  });

  it("reads condition fields", async () => {
    const files = "example/policies/office.json";
    const ask = (address: string) =>
      svcctl(
        [
          "policy",
          "explain",
          "--policies",
          files,
          "--user",
          "eli",
          "--action",
          "fs:WriteObject",
          "--resource",
          `${REPO}sales/object/o`,
          "--context",
          `SourceIp=${address}`,
          "--json",
        ],
        { cwd: folderWith(FILES) },
      );
    expect(JSON.parse((await ask("10.20.0.1")).stdout)).toMatchObject({ allowed: true, effect: "allow" });
    expect(JSON.parse((await ask("10.21.0.1")).stdout)).toMatchObject({
      allowed: false,
      near_misses: [
        {
          why: "condition",
          detail:
            'the condition is not satisfied: IpAddress on SourceIp wants "10.20.0.0/16", the request has "10.21.0.1"',
          conditions: [
            { operator: "IpAddress", field: "SourceIp", given: "10.21.0.1", result: "unsatisfied" },
          ],
        },
      ],
    });
  });

  it("refuses two policies of one name that differ", async () => {
    const cwd = folderWith({ "a.json": soundPolicy, "b.json": { ...soundPolicy, statement: [allow("*")] } });
    const { code, stderr } = await svcctl(
      [
        "policy",
        "explain",
        "--policies",
        "a.json,b.json",
        "--user",
        "u",
        "--action",
        "a:B",
        "--resource",
        "*",
      ],
      { cwd },
    );
    expect(code).toBe(1);
    expect(stderr).toContain("defines the policy Sound anew");
  });

  it("refuses a user whom the data set does not have", async () => {
    const { code, stderr } = await explain("data.json", "eve", "fs:ReadObject");
    expect(code).toBe(1);
    expect(stderr).toContain("there is no user eve");
  });
});
