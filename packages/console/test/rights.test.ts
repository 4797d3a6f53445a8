/**
 * Each control of each page for a user of each preconfigured group: it is offered exactly if the API lets that user do
 * it, and the page's own session gets the same answer as the user's access key where the call is made all the same.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, callApi, type Key, type OpenedConsole, openConsole, setUp, signIn } from "./console.ts";
import { visit } from "./visit.ts";

const GROUPS = ["Admins", "SuperUsers", "Developers", "Viewers"] as const;
const STATEMENT = [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }];
const KEY_ID = "{key}";
const REQUIRED = { action: "auth:DeleteUser", resource: "*" };
const ASKED = `/playground?user={me}&action=${REQUIRED.action}&resource=*`;

/** A control of a page, and the call that it makes. `{n}` is another thing for each try. */
interface Control {
  readonly page: string;
  readonly role: "button" | "link";
  readonly name: string;
  readonly call: string;
  readonly body?: unknown;
}

const control = (page: string, name: string, call: string, body?: unknown): Control => {
  return { page, role: "button", name, call, body };
};
const link = (page: string, name: string, call: string): Control => {
  return { page, role: "link", name, call };
};

const CONTROLS: readonly Control[] = [
  link("/account", "Overview", "GET /auth/status"),
  link("/account", "Users", "GET /auth/users"),
  link("/account", "Groups", "GET /auth/groups"),
  link("/account", "Policies", "GET /auth/policies"),
  link("/account", "Decisions", "GET /decisions"),
  link("/account", "Review", "GET /auth/access/review"),
  control("/users", "Create user", "POST /auth/users", { id: "new-{n}" }),
  control("/users/user-{n}", "Delete user", "DELETE /auth/users/user-{n}"),
  control("/users/user-{n}", "Add", "PUT /auth/groups/other-{n}/members/user-{n}"),
  control(
    "/users/user-{n}",
    "Remove user-{n} from group-{n}",
    "DELETE /auth/groups/group-{n}/members/user-{n}",
  ),
  control("/users/user-{n}", "Attach", "PUT /auth/users/user-{n}/policies/other-{n}"),
  control(
    "/users/user-{n}",
    "Detach policy-{n} from user-{n}",
    "DELETE /auth/users/user-{n}/policies/policy-{n}",
  ),
  control("/users/user-{n}", "Create access key", "POST /auth/users/user-{n}/credentials"),
  control(
    "/users/user-{n}",
    `Delete access key ${KEY_ID}`,
    `DELETE /auth/users/user-{n}/credentials/${KEY_ID}`,
  ),
  control("/groups", "Create group", "POST /auth/groups", { id: "new-{n}" }),
  control("/groups/group-{n}", "Delete group", "DELETE /auth/groups/group-{n}"),
  control("/groups/group-{n}", "Add", "PUT /auth/groups/group-{n}/members/other-{n}"),
  control(
    "/groups/group-{n}",
    "Remove user-{n} from group-{n}",
    "DELETE /auth/groups/group-{n}/members/user-{n}",
  ),
  control("/groups/group-{n}", "Attach", "PUT /auth/groups/group-{n}/policies/other-{n}"),
  control(
    "/groups/group-{n}",
    "Detach policy-{n} from group-{n}",
    "DELETE /auth/groups/group-{n}/policies/policy-{n}",
  ),
  control("/policies", "Create policy", "POST /auth/policies", { id: "new-{n}", statement: STATEMENT }),
  control("/create-policy", "Save", "POST /auth/policies", { id: "newer-{n}", statement: STATEMENT }),
  control("/create-policy", "What changes", "POST /auth/policies/compare", {
    document: { statement: STATEMENT },
  }),
  control("/policies/policy-{n}", "Save", "PUT /auth/policies/policy-{n}", {
    id: "policy-{n}",
    statement: [...STATEMENT, ...STATEMENT],
  }),
  control("/policies/policy-{n}", "Restore", "POST /auth/policies/policy-{n}/restore", {
    position: "1.AAAAAAAA.AAAAAAAA",
  }),
  control("/policies/policy-{n}", "Delete policy", "DELETE /auth/policies/policy-{n}"),
  control("/policies/policy-{n}", "Attach to group", "PUT /auth/groups/other-{n}/policies/policy-{n}"),
  control("/policies/policy-{n}", "Attach to user", "PUT /auth/users/other-{n}/policies/policy-{n}"),
  control(
    "/policies/policy-{n}",
    "Detach policy-{n} from user-{n}",
    "DELETE /auth/users/user-{n}/policies/policy-{n}",
  ),
  control("/who-can", "Ask", "POST /auth/who-can", { action: "fs:ReadObject", resource: "*" }),
  control("/review", "Suggest", "POST /auth/access/suggest", { user: "user-{n}" }),
  link("/review", "Export", "GET /auth/access/review"),
  control("/decisions", "Filter", "GET /decisions"),
  control(ASKED, "Add a policy", "POST /auth/simulate", {
    user: "{me}",
    required: REQUIRED,
    candidate: { replace: [{ name: "x", statement: STATEMENT }] },
  }),
  control("/account", "Create access key", "POST /auth/users/{me}/credentials"),
];

describe.skipIf(CHROMIUM === undefined)("in Chromium, a user of", () => {
  let console: OpenedConsole;
  let admin: Key;
  const keys = new Map<string, string>();

  /** Makes things that a try may destroy. */
  const makeThings = async (n: string): Promise<void> => {
    const call = (method: string, path: string, body?: unknown) =>
      callApi(console, admin, method, path, body);
    // Beside each other: they are made for each try that succeeds.
    await Promise.all(
      (["users", "groups", "policies"] as const).flatMap((kind) => {
        const one = kind === "policies" ? "policy" : kind.slice(0, -1);
        const more = kind === "policies" ? { statement: STATEMENT } : {};
        return [one, "other"].map((name) => call("POST", `/auth/${kind}`, { id: `${name}-${n}`, ...more }));
      }),
    );
    // A version that is not the present one.
    const changed = { id: `policy-${n}`, statement: [{ ...STATEMENT[0], action: ["fs:*"] }] };
    await Promise.all([
      call("PUT", `/auth/policies/policy-${n}`, changed),
      call("PUT", `/auth/groups/group-${n}/members/user-${n}`),
      call("PUT", `/auth/users/user-${n}/policies/policy-${n}`),
      call("PUT", `/auth/groups/group-${n}/policies/policy-${n}`),
    ]);
    keys.set(n, ((await call("POST", `/auth/users/user-${n}/credentials`)) as Key).access_key_id);
  };

  beforeAll(async () => {
    console = await openConsole({ "authorizer.decision_log.include": "all" });
    admin = await setUp(console);
  });
  afterAll(() => console.close());

  it.each(GROUPS)("%s is offered what the API lets them do, and nothing else", async (group) => {
    const me = `of-${group}`;
    await callApi(console, admin, "POST", "/auth/users", { id: me });
    await callApi(console, admin, "PUT", `/auth/groups/${group}/members/${me}`);
    const key = (await callApi(console, admin, "POST", `/auth/users/${me}/credentials`)) as Key;
    const filled = (text: string, n: string): string =>
      text
        .replaceAll("{n}", n)
        .replaceAll(KEY_ID, keys.get(n) ?? "")
        .replaceAll("{me}", me);
    let made = 0;
    await makeThings(group);
    const page = await console.newPage();
    await signIn(page, key);
    const pages = new Map<string, readonly Control[]>();
    for (const one of CONTROLS) pages.set(one.page, [...(pages.get(one.page) ?? []), one]);
    const offered: string[] = [];
    for (const [address, controls] of pages) {
      await visit(page, filled(address, group));
      for (const one of controls) {
        const found = page.getByRole(one.role, { name: filled(one.name, group), exact: true });
        if ((await found.count()) > 0) offered.push(`${address} ${one.name}`);
      }
    }
    const mayDo: string[] = [];
    // Things stay as they are while calls are refused.
    let n: string = group;
    const tryOn = async (one: Control, call: typeof tried | typeof asked): Promise<number> => {
      const body = one.body === undefined ? undefined : filled(JSON.stringify(one.body), n);
      const status = await call(page, key, filled(one.call, n), body);
      if (status >= 300 || one.call.startsWith("GET ")) return status;
      n = `${n.split("-")[0]}-${made++}`;
      await makeThings(n);
      return status;
    };
    for (const one of CONTROLS) {
      const ofPage = await tryOn(one, tried);
      const ofKey = await tryOn(one, asked);
      expect(ofPage, `${one.page} ${one.name}`).toBe(ofKey);
      // A revision that does not exist, and a user without use, are answers to those who may ask.
      if (![401, 403].includes(ofKey)) mayDo.push(`${one.page} ${one.name}`);
    }
    expect(offered.sort()).toEqual(mayDo.sort());
    expect(offered.length === CONTROLS.length).toBe(group === "Admins");
    expect(offered).toContain("/account Create access key");
    await page.context().close();
  });
});

/** The status of a call that a script of the page makes, with the session of the browser. */
function tried(page: Page, _key: Key, call: string, body: string | undefined): Promise<number> {
  const [method, path] = call.split(" ");
  const headers = { "Content-Type": "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  return page.evaluate(`fetch("/api/v1${path}", ${JSON.stringify(init)}).then(({ status }) => status)`);
}

/** The status of a call with an access key, on the service of the page. */
async function asked(page: Page, key: Key, call: string, body: string | undefined): Promise<number> {
  const [method = "", path] = call.split(" ");
  const proof = Buffer.from(`${key.access_key_id}:${key.secret_access_key}`).toString("base64");
  const answer = await fetch(`${new URL(page.url()).origin}/api/v1${path}`, {
    method,
    headers: { Authorization: `Basic ${proof}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body }),
  });
  await answer.body?.cancel();
  return answer.status;
}
