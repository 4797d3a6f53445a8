import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { startAuthorizer } from "../../src/testing/start-authorizer.ts";
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
