/** Access keys that expire, by the management API and for a data server. */

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { startManagement } from "./kit.ts";

const api = await closedAfterAll(startManagement());
const CREDENTIALS = "/auth/users/plain/credentials";

/** Waits until a call answers with a status. */
async function until(status: number, call: () => Promise<{ readonly status: number }>): Promise<void> {
  while ((await call()).status !== status) await delay(50);
}

describe("an access key that expires", () => {
  it("is made with expires_in, shown with its end and audited with it", async () => {
    const before = Math.floor(Date.now() / 1_000);
    const { status, json } = await api.call("admin", "POST", `${CREDENTIALS}?expires_in=3600`);
    expect(status).toBe(201);
    expect(json.expires_at).toBeGreaterThanOrEqual(before + 3_600);
    expect(json.expires_at).toBeLessThanOrEqual(before + 3_660);
    const one = await api.call("admin", "GET", `${CREDENTIALS}/${json.access_key_id}`);
    expect(one.json.expires_at).toBe(json.expires_at);
    const list = await api.call("admin", "GET", CREDENTIALS);
    const listed = list.json.results.find(
      (key: { access_key_id: string }) => key.access_key_id === json.access_key_id,
    );
    expect(listed.expires_at).toBe(json.expires_at);
    expect(list.json.results.some((key: object) => !("expires_at" in key))).toBe(true);
    await expect
      .poll(() => api.audit().findLast(({ event }) => event === "write"))
      .toMatchObject({ after: { access_key_id: json.access_key_id, expires_at: json.expires_at } });
  });

  it("refuses a term that is none, and makes no key then", async () => {
    const before = await api.call("admin", "GET", CREDENTIALS);
    for (const term of ["0", "-1", "1.5", "1h", "315360001"]) {
      const refused = await api.call("admin", "POST", `${CREDENTIALS}?expires_in=${term}`);
      expect(refused.status, term).toBe(400);
      expect(refused.json.message, term).toContain("expires_in");
    }
    expect((await api.call("admin", "GET", CREDENTIALS)).json).toEqual(before.json);
  });

  it("is not made as one that stays, where the term stands in the body", async () => {
    const before = await api.call("admin", "GET", CREDENTIALS);
    const refused = await api.call("admin", "POST", CREDENTIALS, { body: { expires_in: 3_600 } });
    expect(refused.status).toBe(400);
    expect(refused.json.message).toContain("expires_in");
    expect((await api.call("admin", "GET", CREDENTIALS)).json).toEqual(before.json);
    const { url, token } = api.authorizer;
    const imported = await fetch(`${url}/api/v1${CREDENTIALS}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ access_key: "AKIAJEXAMPLEEXAMPLEQ", secret_key: "s" }),
    });
    expect(imported.status).toBe(400);
    expect((await api.call("admin", "GET", CREDENTIALS)).json).toEqual(before.json);
    // As some clients send it for a call without a body.
    expect((await api.call("admin", "POST", CREDENTIALS, { body: {} })).status).toBe(201);
  });

  it("is refused by every call once its time is over, and unknown to a data server", async () => {
    const { json: key } = await api.call("admin", "POST", `${CREDENTIALS}?expires_in=2`);
    const { url, token } = api.authorizer;
    const headers = { authorization: `Bearer ${token}` };
    const forDataServer = () => fetch(`${url}/api/v1/auth/credentials/${key.access_key_id}`, { headers });
    const calls = {
      basic: () => api.call(key, "GET", "/user"),
      login: () => api.call(undefined, "POST", "/auth/login", { body: key }),
      dataServer: forDataServer,
    };
    await until(404, calls.dataServer);
    expect(Date.now() / 1_000).toBeGreaterThanOrEqual(key.expires_at);
    expect((await calls.basic()).status).toBe(401);
    expect((await calls.login()).status).toBe(401);
    expect((await api.call("admin", "GET", `${CREDENTIALS}/${key.access_key_id}`)).status).toBe(404);
  });
});
