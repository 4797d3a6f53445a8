/** `svcctl mirror` against the service. */
import { describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { openedEach } from "../../opened.ts";
import { KEYS } from "./kit.ts";
import { BODY, MIRRORS, MirrorsBed } from "./mirrors-bed.ts";

const bed = openedEach(() => MirrorsBed.open());

describe("svcctl mirror", { timeout: 60_000 }, () => {
  const run = (...args: string[]) =>
    svcctl(["mirror", ...args], {
      env: {
        SVCCTL_SERVER_ENDPOINT_URL: `${bed.api.authorizer.userUrl}/api/v1`,
        SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEYS.admin.access_key_id,
        SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: KEYS.admin.secret_access_key,
      },
    });

  it("creates, lists, shows, edits and deletes", async () => {
    const where = ["--region", "west", "--storage-namespace", "local://sales-west"];
    const made = await run("create", "sales", "sales-west", ...where);
    expect([made.code, made.stdout, made.stderr]).toEqual([
      0,
      expect.stringContaining("Mirror: sales-west of sales in west\nState: creating\n"),
      "",
    ]);
    expect((await run("list", "sales")).stdout).toMatch(/sales-west.*sales.*west.*creating/);
    expect((await run("list")).stdout).toMatch(/sales-west.*sales.*west.*creating/);
    const edited = await run("branches", "sales", "sales-west", "--exclude", "tmp-*, *-draft", "--json");
    expect(JSON.parse(edited.stdout).branches).toEqual({ include: [], exclude: ["tmp-*", "*-draft"] });
    expect((await run("show", "sales", "sales-west")).stdout).toContain("Commits: 0 recorded");
    expect((await run("delete", "sales", "sales-west")).stderr).toContain("aborted");
    expect((await run("delete", "sales", "sales-west", "--yes")).stdout).toBe(
      "Mirror 'sales-west' deleted\n",
    );
    const gone = await run("show", "sales", "sales-west");
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("has no mirror")]);
    expect((await run("delete", "sales", "sales-west", "--yes")).code).toBe(1);
  });

  it("says where a region has not answered yet", async () => {
    await bed.call("admin", "POST", MIRRORS, BODY);
    bed.west.fault = () => "busy";
    const waiting = await run("delete", "sales", "sales-west", "--yes");
    expect(waiting.stdout).toBe("Mirror 'sales-west' will be deleted once its region answers\n");
    expect((await run("delete", "sales", "sales-west", "--forget", "--yes")).code).toBe(0);
  });
});
