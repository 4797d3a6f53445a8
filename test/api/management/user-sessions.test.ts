/** The sessions of a user, and the end of one (spec/security §4.4). */

import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { KEYS, startManagement } from "./kit.ts";

// The cache keeps tokens for longer than the test takes: what ends one has to be told.
const api = await closedAfterAll(startManagement({ "auth.cache.ttl": "10m" }));
beforeEach(() => api.authorizer.reset());

async function logIn(who: keyof typeof KEYS): Promise<{ readonly token: string }> {
  const { json } = await api.call(undefined, "POST", "/auth/login", { body: KEYS[who] });
  return { token: json.token };
}

const idOf = ({ token }: { readonly token: string }): string =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()).jti;
const statusOf = async (who: { readonly token: string }) => (await api.call(who, "GET", "/user")).status;
const list = async (user: string) =>
  (await api.call("admin", "GET", `/auth/users/${user}/sessions`)).json.results as {
    readonly id: string;
  }[];
const listed = (user: string, ...tokens: { readonly token: string }[]) =>
  expect.poll(async () => (await list(user)).map(({ id }) => id)).toEqual(tokens.map(idOf));

describe("the sessions of a user", () => {
  it("are listed with way, address and times, and never with the token", async () => {
    const token = await logIn("viewer");
    await listed("viewer", token);
    const answer = await api.call("admin", "GET", "/auth/users/viewer/sessions");
    expect(answer.json.results).toEqual([
      {
        id: idOf(token),
        how: "access_key",
        access_key_id: KEYS.viewer.access_key_id,
        source_ip: "127.0.0.1",
        created_at: expect.any(Number),
        expires_at: expect.any(Number),
        is_current: false,
      },
    ]);
    expect(answer.text).not.toContain(token.token);
    expect((await api.call("admin", "GET", "/auth/users/nobody/sessions")).status).toBe(404);
  });

  it("end one by one, and that one is over at once although it was used a moment ago", async () => {
    const [first, second] = [await logIn("viewer"), await logIn("viewer")];
    await listed("viewer", first, second);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    const end = () => api.call("admin", "DELETE", `/auth/users/viewer/sessions/${idOf(first)}`);
    expect((await end()).status).toBe(204);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    await listed("viewer", second);
    expect((await end()).status).toBe(404);
    await expect
      .poll(() => api.audit().find(({ operation }) => operation === "endSession"))
      .toMatchObject({ operation: "endSession", user: "viewer", before: { id: idOf(first) } });
  });

  it("of somebody else are not ended under another name", async () => {
    const token = await logIn("viewer");
    await listed("viewer", token);
    const { status } = await api.call("admin", "DELETE", `/auth/users/plain/sessions/${idOf(token)}`);
    expect([status, await statusOf(token)]).toEqual([404, 200]);
  });

  it("leave the list with the sign-out, and with all sessions", async () => {
    const [first, second] = [await logIn("viewer"), await logIn("viewer")];
    await listed("viewer", first, second);
    await api.call(first, "POST", "/auth/logout");
    expect(await statusOf(first)).toBe(401);
    await listed("viewer", second);
    await api.call("admin", "DELETE", "/auth/users/viewer/sessions");
    expect(await list("viewer")).toEqual([]);
  });

  it("name the one of the caller", async () => {
    const token = await logIn("admin");
    await listed("admin", token);
    const { json } = await api.call(token, "GET", "/auth/users/admin/sessions");
    expect(json.results).toMatchObject([{ id: idOf(token), is_current: true }]);
  });
});
