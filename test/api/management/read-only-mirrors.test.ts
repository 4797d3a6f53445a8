/** Mirrors are read-only, whatever policies allow. */
import { describe, expect, it } from "vitest";
import { openedEach } from "../../opened.ts";
import { BODY, MIRRORS, MirrorsBed } from "./mirrors-bed.ts";

const bed = openedEach(() => MirrorsBed.open());

describe("a mirror is read-only (M5)", { timeout: 60_000 }, () => {
  const MIRROR = "arn:svc:fs:::repository/sales-west";
  const WRITES = [
    ["fs:CreateRepository", MIRROR],
    ["fs:UpdateRepository", MIRROR],
    ["fs:DeleteRepository", MIRROR],
    ["fs:ImportFromStorage", `${MIRROR}/object/x`],
    ["fs:WriteObject", `${MIRROR}/object/a/b`],
    ["fs:DeleteObject", `${MIRROR}/object/a/b`],
    ["fs:CreateCommit", `${MIRROR}/branch/main`],
    ["fs:CreateBranch", `${MIRROR}/branch/x`],
    ["fs:DeleteBranch", `${MIRROR}/branch/x`],
    ["fs:RevertBranch", `${MIRROR}/branch/main`],
    ["fs:CreateTag", `${MIRROR}/tag/v1`],
    ["fs:DeleteTag", `${MIRROR}/tag/v1`],
    ["fs:MirrorRepository", MIRROR],
    ["retention:SetGarbageCollectionRules", MIRROR],
    ["retention:PrepareGarbageCollectionCommits", MIRROR],
    ["retention:PrepareGarbageCollectionUncommitted", MIRROR],
    ["branches:SetBranchProtectionRules", MIRROR],
    ["pr:WritePullRequest", MIRROR],
    ["fs:AttachStorageNamespace", "arn:svc:fs:::namespace/local://sales-west"],
    ["fs:AttachStorageNamespace", "arn:svc:fs:::namespace/local://sales-west/below"],
  ] as const;
  const READS = [
    ["fs:ReadRepository", MIRROR],
    ["fs:ReadObject", `${MIRROR}/object/a`],
    ["fs:ListObjects", MIRROR],
    ["fs:ListBranches", MIRROR],
    ["branches:GetBranchProtectionRules", MIRROR],
    ["retention:GetGarbageCollectionRules", MIRROR],
  ] as const;
  const ask = (user: string, action: string, resource: string) =>
    bed.api.authorizer.client.check({
      user,
      required: { action, resource },
      explain: true,
    } as never) as Promise<{
      allowed: boolean;
    }>;

  it("for administrators, too: 20 kinds of writes are denied by a rule that names itself, and reads are not", async () => {
    for (const [action, resource] of WRITES)
      expect((await ask("admin", action, resource)).allowed).toBe(true);
    expect((await bed.call("admin", "POST", MIRRORS, BODY)).status).toBe(201);
    for (const [action, resource] of WRITES) {
      const answer = await ask("admin", action, resource);
      expect([action, answer.allowed]).toEqual([action, false]);
      expect(JSON.stringify(answer)).toContain("mirror_is_read_only");
    }
    for (const [action, resource] of READS)
      expect([action, (await ask("admin", action, resource)).allowed]).toEqual([action, true]);
    for (const beside of ["arn:svc:fs:::repository/sales-west-2/object/a", "arn:svc:fs:::repository/sales"])
      expect((await ask("admin", "fs:WriteObject", beside)).allowed).toBe(true);
    const beside = "arn:svc:fs:::namespace/local://sales-west-2";
    expect((await ask("admin", "fs:AttachStorageNamespace", beside)).allowed).toBe(true);
    expect((await bed.call("admin", "DELETE", `${MIRRORS}/sales-west`)).status).toBe(204);
    for (const [action, resource] of WRITES)
      expect((await ask("admin", action, resource)).allowed).toBe(true);
  });

  it("towards data servers: the policy is effective for everybody, and is attached to nobody", async () => {
    const effective = async (user: string, query = "effective=true") => {
      const response = await fetch(
        `${bed.api.authorizer.url}/api/v1/auth/users/${user}/policies?${query}&amount=1000`,
        { headers: { authorization: `Bearer ${bed.api.authorizer.token}` } },
      );
      const { results } = (await response.json()) as { results: { name: string; id?: string }[] };
      return results.map(({ name, id }) => name ?? id);
    };
    expect(await effective("admin")).not.toContain("mirror_is_read_only");
    await bed.call("admin", "POST", MIRRORS, BODY);
    for (const user of ["admin", "plain"]) {
      expect(await effective(user)).toContain("mirror_is_read_only");
      expect(await effective(user, "effective=false")).not.toContain("mirror_is_read_only");
    }
  });

  it("but for the user whose key fills it, as long as the key is that user's", async () => {
    await bed.call("admin", "POST", MIRRORS, BODY);
    const { users, credentials } = bed.api.authorizer.directory;
    await users.create({ username: "mirror-west" } as never);
    await users.attachPolicy("mirror-west", "FSFullAccess");
    const write = async () => (await ask("mirror-west", "fs:CreateBranch", `${MIRROR}/branch/main`)).allowed;
    expect(await write()).toBe(false);
    const key = { access_key_id: "AKIAJMIRRORXXXXXXXXQ", secret_access_key: "x".repeat(40) };
    await credentials.create("mirror-west", key);
    expect(await write()).toBe(true);
    expect((await ask("admin", "fs:CreateBranch", `${MIRROR}/branch/main`)).allowed).toBe(false);
    expect((await bed.call("admin", "GET", `${MIRRORS}/sales-west`)).json.write_protection).toBe("enforced");
    await credentials.delete("mirror-west", key.access_key_id);
    expect(await write()).toBe(false);
  });

  it("by a policy whose name nobody can take", async () => {
    const statement = [{ effect: "allow", action: ["fs:*"], resource: "*" }];
    const create = bed.api.authorizer.directory.policies.create({
      name: "mirror_is_read_only",
      statement,
    } as never);
    await expect(create).rejects.toMatchObject({ code: "invalid_request" });
  });
});
