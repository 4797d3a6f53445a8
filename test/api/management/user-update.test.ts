import { describe, expect, it } from "vitest";
import { openedOnce } from "../../opened.ts";
import { startManagement } from "./kit.ts";

describe("PATCH /auth/users/{userId}", () => {
  const api = openedOnce(() => startManagement());
  const read = async (user: string) => (await api.call("admin", "GET", `/auth/users/${user}`)).json;
  const change = (user: string, body: unknown) => api.call("admin", "PATCH", `/auth/users/${user}`, { body });

  it("changes what is given, leaves the rest, and removes what is empty or null", async () => {
    const given = { friendly_name: "T", email: "t@example.com" };
    expect(await change("target", given)).toMatchObject({ status: 200, json: { id: "target", ...given } });
    expect((await change("target", { friendly_name: "" })).json).not.toHaveProperty("friendly_name");
    expect(await read("target")).toMatchObject({ email: "t@example.com" });
    expect((await change("target", { email: null })).json).not.toHaveProperty("email");
  });

  it("makes a user inactive at once, and active again with what it had", async () => {
    const asked = { user: "plain", required: { action: "auth:ReadUser", resource: "arn:svc:auth:::user/a" } };
    const may = async () => (await api.call("admin", "POST", "/auth/check", { body: asked })).json.allowed;
    await api.call("admin", "PUT", "/auth/users/plain/policies/Manages");
    expect(await may()).toBe(true);
    const login = await api.call("plain", "GET", "/user");
    expect(login.status).toBe(200);
    expect((await change("plain", { inactive: true })).json).toMatchObject({ inactive: true });
    expect(await may()).toBe(false);
    expect((await api.call("plain", "GET", "/user")).status).toBe(401);
    await change("plain", { inactive: false });
    expect(await may()).toBe(true);
    expect((await api.call("plain", "GET", "/user")).status).toBe(200);
  });

  it("refuses what it does not know, naming it, and changes nothing", async () => {
    const before = await read("target");
    const answer = await change("target", { friendly_name: "X", actve: false });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("actve");
    expect(await read("target")).toEqual(before);
  });

  it("does not let somebody make themselves inactive", async () => {
    expect(await change("admin", { inactive: true })).toMatchObject({ status: 409 });
    expect(await read("admin")).not.toHaveProperty("inactive");
  });

  it("is audited with before and after", async () => {
    await change("target", { friendly_name: "Audited" });
    const newest = () => api.audit().findLast(({ operation }) => operation === "updateUser");
    await expect.poll(newest).toMatchObject({ user: "target", after: { friendly_name: "Audited" } });
  });

  it("names every member that it does not know, and changes nothing", async () => {
    const before = await read("target");
    const { status, json } = await change("target", {
      friendly_name: "X",
      active: false,
      mail: "a@b",
      email: 5,
    });
    expect(status).toBe(400);
    for (const pointer of ["/active", "/mail", "/email"]) expect(JSON.stringify(json)).toContain(pointer);
    expect(await read("target")).toEqual(before);
  });

  it("is 404 for an unknown user", async () => {
    expect((await change("nobody", { friendly_name: "N" })).status).toBe(404);
  });
});
