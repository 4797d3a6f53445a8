/** Mirrors without configured keys: the service makes a user for each, and the data servers ask the service about it. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Progress } from "../../../src/mirroring/progress/progress.ts";
import { StandIn } from "../../mirroring/stand-in/stand-in.ts";
import { basic, callTarget, KEYS, type Management, startManagement } from "./kit.ts";

const MIRRORS = "/service/replication/v1/repositories/sales/mirrors";
const BODY = { name: "sales-west", region: "west", storage_namespace: "local://sales-west" };
const USER = "mirror-sales-west";

let source: StandIn;
let west: StandIn;
let api: Management;
/** The newest key that a data server was shown. */
let shown = { access_key_id: "", secret_access_key: "" };

/** A data server's check of a caller: it asks the service about the key that it was shown. */
async function isKnown(authorization: string): Promise<boolean> {
  const [id = "", secret = ""] = Buffer.from(authorization.replace("Basic ", ""), "base64")
    .toString()
    .split(":");
  const { url, token } = api.authorizer;
  const answer = await fetch(`${url}/api/v1/auth/credentials/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) return false;
  const known = (await answer.json()) as { secret_access_key: string };
  if (known.secret_access_key !== secret) return false;
  shown = { access_key_id: id, secret_access_key: secret };
  return true;
}

beforeEach(async () => {
  source = await StandIn.start();
  west = await StandIn.start();
  source.isKnown = isKnown;
  west.isKnown = isKnown;
  source.create("sales");
  api = await startManagement({
    "authorizer.mirroring.source.endpoint": source.url,
    "authorizer.mirroring.regions": { west: { endpoint: west.url } },
    "authorizer.mirroring.verify_interval": "1s",
    "authorizer.mirroring.scan_interval": "1s",
  });
});
afterEach(async () => {
  await api.close();
  await Promise.all([source.close(), west.close()]);
});

function call(method: string, target: string, body?: unknown, key: typeof shown = KEYS.admin) {
  const headers = { authorization: basic(key) };
  return callTarget(api.authorizer.userUrl, method, target, { headers, ...(body !== undefined && { body }) });
}
const isCreated = () => west.repositories.has("sales-west");
const users = () => api.authorizer.directory.users;
const ask = async (user: string, action: string, resource: string): Promise<boolean> =>
  (await api.authorizer.client.check({ user, required: { action, resource } } as never)).allowed;

describe("the user of a mirror", { timeout: 60_000 }, () => {
  it("is made, creates the repository, is the only one who may write to it, and goes with the mirror", async () => {
    const made = await call("POST", MIRRORS, BODY);
    expect(made.status, made.text).toBe(201);
    expect(made.json.write_protection).toBe("enforced");
    await expect.poll(isCreated).toBe(true);
    const mirror = "arn:svc:fs:::repository/sales-west";
    for (const [action, resource] of [
      ["fs:CreateBranch", `${mirror}/branch/main`],
      ["fs:RevertBranch", `${mirror}/branch/main`],
      ["fs:CreateCommit", mirror],
      ["fs:AttachStorageNamespace", "arn:svc:fs:::namespace/local://sales-west"],
    ] as const) {
      expect(await ask(USER, action, resource)).toBe(true);
      expect(await ask("admin", action, resource)).toBe(false);
    }
    for (const [action, resource] of [
      ["fs:CreateBranch", "arn:svc:fs:::repository/sales/branch/main"],
      ["fs:ReadObject", "arn:svc:fs:::repository/other/object/a"],
      ["fs:WriteObject", `${mirror}/object/a`],
      ["auth:CreateCredentials", `arn:svc:auth:::user/${USER}`],
    ] as const)
      expect(await ask(USER, action, resource)).toBe(false);
    expect((await call("DELETE", `${MIRRORS}/sales-west`)).status).toBe(204);
    await expect(users().get(USER)).rejects.toMatchObject({ code: "not_found" });
    const events = () =>
      api
        .audit()
        .filter(({ actor }) => actor === "mirroring")
        .map(({ event, operation, user }) => [event, operation, user]);
    // They are written in the background.
    await expect.poll(events).toEqual([
      ["write", "createMirrorUser", USER],
      ["write", "deleteMirrorUser", USER],
    ]);
    expect(JSON.stringify(api.audit())).not.toContain(shown.secret_access_key);
  });

  it("signs in to nothing, and nobody gets or makes a key of it", async () => {
    await call("POST", MIRRORS, BODY);
    await expect.poll(isCreated).toBe(true);
    expect((await call("GET", "/api/v1/user", undefined, shown)).status).toBe(401);
    expect((await call("GET", `${MIRRORS}/sales-west`, undefined, shown)).status).toBe(401);
    expect((await call("DELETE", `${MIRRORS}/sales-west`, undefined, shown)).status).toBe(401);
    expect((await call("POST", "/api/v1/auth/login", shown)).status).toBe(401);
    const keys = `/api/v1/auth/users/${USER}/credentials`;
    expect((await call("GET", keys)).json.results).toEqual([]);
    const made = await call("POST", keys);
    expect([made.status, made.json.message]).toEqual([
      403,
      expect.stringContaining("works for the service itself"),
    ]);
    const named = await call("GET", `${keys}/${shown.access_key_id}`);
    expect(JSON.stringify(named.json)).not.toContain("secret");
    const everything = await call("GET", "/api/v1/auth/users?amount=1000");
    expect(JSON.stringify(everything.json)).not.toContain("works_for");
  });

  it("is not made where the name is a person's, and does not stay where the mirror is refused", async () => {
    await users().create({ username: USER });
    const taken = await call("POST", MIRRORS, BODY);
    expect([taken.status, taken.json.message]).toEqual([409, expect.stringContaining(USER)]);
    await users().delete(USER);
    expect((await call("POST", MIRRORS.replace("sales", "nothing"), BODY)).status).toBe(404);
    expect((await call("POST", MIRRORS.replace("sales", "*"), BODY)).status).toBe(404);
    expect((await call("POST", MIRRORS, { ...BODY, storage_namespace: "s3://x/y" })).status).toBe(400);
    await expect(users().get(USER)).rejects.toMatchObject({ code: "not_found" });
    expect((await call("GET", MIRRORS)).json.results).toEqual([]);
  });

  it("does not stay where whoever asked for a mirror that is refused is gone meanwhile", async () => {
    const { groups, credentials } = api.authorizer.directory;
    await users().create({ username: "boss" });
    await groups.addMember("Admins", "boss");
    const key = await credentials.create("boss");
    source.isKnown = async (authorization) => {
      source.isKnown = isKnown;
      const answer = await isKnown(authorization);
      await users().delete("boss");
      return answer;
    };
    expect((await call("POST", MIRRORS.replace("sales", "nothing"), BODY, key)).status).toBe(404);
    await expect(users().get(USER)).rejects.toMatchObject({ code: "not_found" });
  });

  it("goes with a mirror that is forgotten, and the audit log says so, whatever else of it cannot be removed", async () => {
    await call("POST", MIRRORS, BODY);
    await expect.poll(isCreated).toBe(true);
    vi.spyOn(Progress, "forget").mockRejectedValueOnce(
      new AuthorizerError("unavailable", "the disk is full"),
    );
    expect((await call("DELETE", `${MIRRORS}/sales-west?forget=true`)).status).toBe(204);
    await expect(users().get(USER)).rejects.toMatchObject({ code: "not_found" });
    await expect.poll(() => api.audit().map(({ operation }) => operation)).toContain("deleteMirror");
  });

  it("does not outlive a mirror that is forgotten: where it cannot be removed, nothing is, and it can be tried again", async () => {
    await call("POST", MIRRORS, BODY);
    await expect.poll(isCreated).toBe(true);
    const { serviceUsers } = api.authorizer.directory;
    vi.spyOn(serviceUsers, "delete").mockRejectedValueOnce(
      new AuthorizerError("unavailable", "the disk is full"),
    );
    const forgotten = () => call("DELETE", `${MIRRORS}/sales-west?forget=true`);
    expect((await forgotten()).status).toBe(503);
    expect((await call("GET", `${MIRRORS}/sales-west`)).status).toBe(200);
    expect((await forgotten()).status).toBe(204);
    await expect(users().get(USER)).rejects.toMatchObject({ code: "not_found" });
    const operations = () => api.audit().map(({ operation }) => operation);
    await expect.poll(operations).toEqual(expect.arrayContaining(["deleteMirrorUser", "deleteMirror"]));
  });

  it("is gone with a mirror that is forgotten, and calls under way do not bring it back", async () => {
    await call("POST", MIRRORS, BODY);
    await expect.poll(isCreated).toBe(true);
    west.isKnown = () => false;
    const before = west.calls.get("GET repository") ?? 0;
    await expect.poll(() => west.calls.get("GET repository") ?? 0).toBeGreaterThan(before);
    expect((await call("DELETE", `${MIRRORS}/sales-west?forget=true`)).status).toBe(204);
    const calls = west.calls.get("GET repository") ?? 0;
    await new Promise((go) => setTimeout(go, 2_000));
    expect((west.calls.get("GET repository") ?? 0) - calls).toBeLessThan(6);
    await expect(users().get(USER)).rejects.toMatchObject({ code: "not_found" });
  });
});
