/** A write that is answered `outcome_unknown` is audited as such (spec/journal §2.5, spec/security §5.2). */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MailServer, startServer, stopServers, tokenOf } from "../../mail/mail-server.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import {
  ADMIN,
  type Answer,
  API_TOKEN,
  IDP,
  startUncertain,
  type UncertainService,
} from "./unknown-outcome-kit.ts";

const folder = temporaryFolder();
const datasetFile = join(folder, "dataset.json");
const statement = [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }];
const OTHER = [{ effect: "allow", action: ["fs:WriteObject"], resource: "*" }];
const PASSWORD_HASH = "aGFzaC1vZi1hLXBhc3N3b3Jk";
const IMPORTED_SECRET = "an-imported-secret-of-the-test-0123456789";

function dataset(more: object = {}): string {
  return JSON.stringify({
    format: 1,
    preconfigured: true,
    users: [{ username: "admin", groups: ["Admins"], credentials: [ADMIN] }, { username: "alice" }],
    groups: [{ name: "Readers" }, { name: "Writers" }],
    policies: [{ name: "Reads", statement }],
    ...more,
  });
}

let api: UncertainService;
let mails: MailServer;
beforeAll(async () => {
  writeFileSync(datasetFile, dataset());
  mails = await startServer();
  api = await startUncertain(folder, {
    "authorizer.datasets": [datasetFile],
    "email.smtp_host": "127.0.0.1",
    "email.smtp_port": mails.port,
    "email.sender": "data@example.com",
  });
});
afterAll(async () => {
  await api?.close();
  await stopServers();
});

/** Makes a call whose commit is answered as unknown, and returns its events. */
async function unknown(call: () => Promise<Answer>): Promise<readonly Record<string, unknown>[]> {
  const events = await api.eventsOf(async () => {
    const { status, body } = await api.uncertain(call);
    // SCIM has no codes.
    const said = body.code ?? body.detail;
    expect([status, said], JSON.stringify(body)).toEqual([
      503,
      expect.stringMatching(/^outcome_unknown$|the change may have happened/),
    ]);
  });
  return events.map(({ time: _, ...event }) => event);
}

/** Invites a user and returns the token of the link. */
async function invited(id: string): Promise<string> {
  const count = mails.mails.length;
  const { status } = await api.asAdmin("POST", "/api/v1/auth/users", { id, invite_user: true });
  expect(status).toBe(201);
  await expect.poll(() => mails.mails.length).toBe(count + 1);
  return tokenOf(mails.mails[count]!);
}

const OF_ADMIN = {
  event: "write",
  actor: "admin",
  how: "access_key",
  with_key: ADMIN.access_key_id,
  request_id: "r-of-the-test",
  source_ip: "127.0.0.1",
  outcome: "unknown",
};
const OF_DATA_SERVER = {
  event: "write",
  actor: expect.any(String),
  request_id: "r-of-the-test",
  source_ip: "127.0.0.1",
  outcome: "unknown",
};
const OF_IDP = { ...OF_DATA_SERVER, actor: "idp" };

describe("the management API", () => {
  it.each([
    ["POST", "/users", { id: "new-1" }, { operation: "createUser", user: "new-1" }],
    ["POST", "/groups", { id: "New1" }, { operation: "createGroup", group: "New1" }],
    ["POST", "/policies", { id: "New1", statement }, { operation: "createPolicy", policy: "New1" }],
    [
      "PUT",
      "/policies/New1",
      { id: "New1", statement: OTHER },
      { operation: "updatePolicy", policy: "New1" },
    ],
    [
      "PUT",
      "/groups/Readers/members/alice",
      undefined,
      { operation: "addGroupMembership", group: "Readers", user: "alice" },
    ],
    [
      "PUT",
      "/users/alice/policies/Reads",
      undefined,
      { operation: "attachPolicyToUser", user: "alice", policy: "Reads" },
    ],
    ["POST", "/users/alice/credentials", undefined, { operation: "createCredentials", user: "alice" }],
    [
      "POST",
      "/users/alice/external/principals?principalId=arn%3Ajob",
      undefined,
      { operation: "createUserExternalPrincipal", user: "alice", principal: "arn:job" },
    ],
    [
      "POST",
      "/groups/Writers/acl",
      { permission: "Write" },
      {
        operation: "setGroupACL",
        group: "Writers",
        policy: expect.stringContaining("Writers"),
        after: "Write",
      },
    ],
    ["DELETE", "/users/new-1", undefined, { operation: "deleteUser", user: "new-1" }],
  ])("audits %s %s", async (method, path, body, named) => {
    const events = await unknown(() => api.asAdmin(method, `/api/v1/auth${path}`, body));
    expect(events.filter(({ operation }) => operation !== "escalation")).toEqual([{ ...OF_ADMIN, ...named }]);
  });

  it("audits each change of documents as the call that makes it alone", async () => {
    const documents = [{ format: 1, groups: [{ name: "Applied" }], users: [{ username: "applied" }] }];
    const events = await unknown(() =>
      api.asAdmin("POST", "/api/v1/auth/apply", { manager: "test", documents }),
    );
    const of = { ...OF_ADMIN, manager: "test" };
    expect(events).toEqual([
      expect.objectContaining({ ...of, operation: "createGroup", group: "Applied" }),
      expect.objectContaining({ ...of, operation: "createUser", user: "applied" }),
    ]);
  });

  it("audits documents that change nothing but what they say themselves", async () => {
    const documents = [{ format: 1, groups: [{ name: "Readers" }] }];
    const events = await unknown(() =>
      api.asAdmin("POST", "/api/v1/auth/apply", { manager: "test-2", documents }),
    );
    expect(events).toEqual([{ ...OF_ADMIN, operation: "apply", manager: "test-2" }]);
  });

  it("audits a log-out as a log-out", async () => {
    const { body } = await api.asAdmin("POST", "/api/v1/auth/login", ADMIN, {});
    const authorization = `Bearer ${body.token}`;
    const events = await unknown(() =>
      api.asAdmin("POST", "/api/v1/auth/logout", undefined, { authorization }),
    );
    expect(events).toEqual([
      expect.objectContaining({ event: "logout", actor: "admin", outcome: "unknown" }),
    ]);
  });

  it("audits the link of an invitation", async () => {
    const url = `${api.service.addresses.user}/auth/invite`;
    const redeem = (token: string) => fetch(url, { method: "POST", body: new URLSearchParams({ token }) });
    const of = { event: "write", how: "invitation", operation: "redeemInvitation", outcome: "unknown" };
    const user = "guest@example.com";
    const token = await invited(user);
    const events = await api.eventsOf(async () => {
      expect((await api.uncertain(() => redeem(token))).status).toBe(503);
    });
    expect(events).toEqual([expect.objectContaining({ ...of, actor: user, user })]);
    expect(api.text()).not.toContain(token);
  });

  it("keeps the changes that were asked for, without a revision, in the chain", async () => {
    await unknown(() => api.asAdmin("POST", "/api/v1/auth/users", { id: "kept" }));
    const { body } = await api.asAdmin("GET", "/api/v1/audit?target=user%20kept");
    expect(body.results).toHaveLength(1);
    expect(body.results[0]).toMatchObject({
      operation: "createUser",
      outcome: "unknown",
      changes: [{ kind: "user", name: "kept", before: null, after: { source: "internal" } }],
    });
    expect(body.results[0]).not.toHaveProperty("revision");
  });

  it("a committed write says nothing of its outcome", async () => {
    const [event, ...others] = await api.eventsOf(async () => {
      expect((await api.asAdmin("POST", "/api/v1/auth/users", { id: "certain" })).status).toBe(201);
    });
    expect([event?.["operation"], others]).toEqual(["createUser", []]);
    expect(event).not.toHaveProperty("outcome");
  });
});

describe("the data-server API", () => {
  const secret = `access_key=AKIAJ${"I".repeat(14)}Q&secret_key=${IMPORTED_SECRET}`;

  it.each([
    ["POST", "/auth/users", { username: "ds-1" }, { operation: "createUser", user: "ds-1" }],
    ["POST", "/auth/policies", { name: "Ds1", statement }, { operation: "createPolicy", policy: "Ds1" }],
    ["POST", "/auth/groups", { id: "Ds1" }, { operation: "createGroup", group: "Ds1" }],
    [
      "PUT",
      "/auth/users/alice/password",
      { encryptedPassword: PASSWORD_HASH },
      { operation: "updatePassword", user: "alice" },
    ],
    [
      "POST",
      `/auth/users/alice/credentials?${secret}`,
      undefined,
      {
        operation: "createCredentials",
        user: "alice",
        access_key_id: `AKIAJ${"I".repeat(14)}Q`,
        imported: true,
      },
    ],
    [
      "POST",
      "/auth/tokenid/claim",
      { token_id: "once", expires_at: 4_000_000_000 },
      { operation: "claimTokenId", claimed: "once", expires_at: 4_000_000_000 },
    ],
  ])("audits %s %s", async (method, path, body, named) => {
    const events = await unknown(() => api.asService(API_TOKEN, method, `/api/v1${path}`, body));
    expect(events).toEqual([{ ...OF_DATA_SERVER, ...named }]);
  });
});

describe("SCIM", () => {
  const call = (method: string, path: string, body?: unknown) => () =>
    api.asService(IDP, method, `/scim/v2${path}`, body);

  it("audits what is created, changed and deleted, by name", async () => {
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"];
    const created = await unknown(call("POST", "/Users", { schemas, userName: "scim-1" }));
    expect(created).toEqual([{ ...OF_IDP, operation: "scimCreateUser", user: "scim-1" }]);
    const { body } = await call("GET", '/Users?filter=userName%20eq%20"scim-1"')();
    const { id } = body.Resources[0];
    const patch = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", path: "active", value: false }],
    };
    expect(await unknown(call("PATCH", `/Users/${id}`, patch))).toEqual([
      { ...OF_IDP, operation: "scimUpdateUser", user: "scim-1", id },
    ]);
    // The user is gone by then, and with it the name.
    expect(await unknown(call("DELETE", `/Users/${id}`))).toEqual([
      { ...OF_IDP, operation: "scimDeleteUser", id },
    ]);
  });

  it("audits groups", async () => {
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
    expect(await unknown(call("POST", "/Groups", { schemas, displayName: "Scim1" }))).toEqual([
      { ...OF_IDP, operation: "scimCreateGroup", group: "Scim1" },
    ]);
  });
});

describe("set-up and reload", () => {
  it("audits a set-up, without the token and the secret", async () => {
    const ownFolder = temporaryFolder();
    const empty = await startUncertain(ownFolder);
    try {
      const token = empty.service.setup?.token ?? "";
      const body = { username: "root", setup_token: token, key: ADMIN };
      const events = await empty.eventsOf(async () => {
        const answer = await empty.uncertain(() => empty.asAdmin("POST", "/api/v1/setup", body, {}));
        expect([answer.status, answer.body.code]).toEqual([503, "outcome_unknown"]);
      });
      const of = { event: "setup", actor: "set-up token", admin: "root", outcome: "unknown" };
      expect(events).toEqual([expect.objectContaining({ ...of, access_key_id: ADMIN.access_key_id })]);
      for (const secret of [token, ADMIN.secret_access_key]) expect(empty.text()).not.toContain(secret);
    } finally {
      await empty.close();
    }
  });

  it("audits data sets that are read again", async () => {
    writeFileSync(datasetFile, dataset({ groups: [{ name: "Later" }] }));
    const events = await api.eventsOf(() => api.uncertain(() => api.service.reload(api.values)));
    expect(events.filter(({ what }) => what === "data sets")).toEqual([
      expect.objectContaining({ event: "reload", outcome: "unknown" }),
    ]);
  });
});

it("no event has a secret", () => {
  for (const secret of [PASSWORD_HASH, IMPORTED_SECRET, ADMIN.secret_access_key, API_TOKEN, IDP]) {
    expect(api.text()).not.toContain(secret);
  }
});
