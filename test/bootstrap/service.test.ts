import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, describe, expect, it } from "vitest";
import { storeItems } from "./command-kit.ts";
import { newFolder, removeFolders } from "./kit.ts";

afterEach(removeFolders);

function itemsFor(folder: string, more: Record<string, string>) {
  return {
    ...storeItems(folder, "0123456789abcdef0123456789abcdef-key"),
    "logging.level": "INFO",
    "logging.output": join(folder, "service.log"),
    ...more,
  };
}

it("fills the store at the first start in mode external, and logs the path of the credentials but no secret", async () => {
  const folder = newFolder();
  const config = itemsFor(folder, { "auth.ui_config.rbac": "external" });
  const first = await startAuthorizer({ config });
  const members = await first.directory.groups.members("Admins", { amount: 10 });
  await first.close();
  expect(members.results.map(({ username }) => username)).toEqual(["admin"]);
  const file = join(folder, "svc-authorizer-admin.json");
  const { secret_access_key, access_key_id } = JSON.parse(readFileSync(file, "utf8"));
  const second = await startAuthorizer({ config });
  expect(await second.directory.credentials.getWithSecret(access_key_id)).toMatchObject({
    secret_access_key,
  });
  await second.close();
  const log = readFileSync(join(folder, "service.log"), "utf8");
  const audit = readFileSync(join(folder, "audit.log"), "utf8");
  expect(log).toContain(file);
  expect(log.split("store bootstrapped")).toHaveLength(2);
  expect(audit).toContain('"event":"setup"');
  expect(log + audit).not.toContain(secret_access_key);
});

it("takes the administrator of installation.* in mode external", async () => {
  const folder = newFolder();
  const { close, directory } = await startAuthorizer({
    config: itemsFor(folder, {
      "auth.ui_config.rbac": "external",
      "installation.user_name": "root",
      "installation.access_key_id": "AKIAJROOTROOTROOTROQ",
      "installation.secret_access_key": "given",
    }),
  });
  const found = await directory.credentials.getWithSecret("AKIAJROOTROOTROOTROQ");
  await close();
  expect(found).toMatchObject({ username: "root", secret_access_key: "given" });
  expect(existsSync(join(folder, "svc-authorizer-admin.json"))).toBe(false);
});

describe.each(["none", "internal", "simplified"])(
  "the administrator of the configuration, with rbac %s",
  (rbac) => {
    const KEY = { id: "AKIAJROOTROOTROOTROQ", secret: "given" };

    it.each(["installation", "authorizer.bootstrap_admin"])("is created once from %s", async (section) => {
      const folder = newFolder();
      const name = section === "installation" ? "user_name" : "username";
      const config = itemsFor(folder, {
        "auth.ui_config.rbac": rbac,
        [`${section}.${name}`]: "root",
        [`${section}.access_key_id`]: KEY.id,
        [`${section}.secret_access_key`]: KEY.secret,
      });
      const first = await startAuthorizer({ config });
      expect(await first.directory.credentials.getWithSecret(KEY.id)).toMatchObject({
        username: "root",
        secret_access_key: KEY.secret,
      });
      const { results } = await first.directory.users.groups("root", { amount: 10 });
      expect(results.map((group) => group.name)).toEqual(["Admins"]);
      await first.directory.users.delete("root");
      await first.close();
      const second = await startAuthorizer({ config });
      expect(await second.directory.principal("root")).toBeUndefined();
      await second.close();
      const audit = readFileSync(join(folder, "audit.log"), "utf8");
      expect(audit.match(/"event":"setup".*"username":"root"/g)).toHaveLength(1);
      expect(audit + readFileSync(join(folder, "service.log"), "utf8")).not.toContain(KEY.secret);
    });

    it("does not make an administrator of a user who exists", async () => {
      const folder = newFolder();
      const mode = { "auth.ui_config.rbac": rbac };
      const before = await startAuthorizer({
        config: itemsFor(folder, mode),
        dataset: { format: 1, users: [{ username: "root" }] },
      });
      await before.close();
      const after = await startAuthorizer({
        config: itemsFor(folder, {
          ...mode,
          "installation.user_name": "root",
          "installation.access_key_id": KEY.id,
          "installation.secret_access_key": KEY.secret,
        }),
      });
      expect((await after.directory.principal("root"))?.groups).toEqual([]);
      await after.close();
      expect(readFileSync(join(folder, "service.log"), "utf8")).toContain(
        "first administrator was not created",
      );
    });
  },
);

it.each(["internal", "none"])("leaves the store empty in mode %s", async (rbac) => {
  const { close, directory } = await startAuthorizer({
    config: itemsFor(newFolder(), { "auth.ui_config.rbac": rbac }),
  });
  const { users, groups, policies } = await directory.batches.state({ secrets: false });
  await close();
  expect([users.size, groups.size, policies.size]).toEqual([0, 0, 0]);
});

it("lets data sets refer to what a bootstrap creates", async () => {
  const folder = newFolder();
  const started = await startAuthorizer({
    config: itemsFor(folder, { "auth.ui_config.rbac": "simplified" }),
    dataset: { format: 1, users: [{ username: "alice", groups: ["Readers"] }] },
  });
  const principal = await started.directory.principal("alice");
  await started.close();
  expect(principal?.policies.map(({ name }) => name)).toEqual(["ACL(_-_)Readers"]);
});
