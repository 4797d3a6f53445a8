import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole } from "../../../test/proofs/size.ts";
import { CHROMIUM, callApi, type Key, type OpenedConsole, openConsole, setUp, signIn } from "./console.ts";
import { createMirror, type MirrorServers, openMirrorServers } from "./mirror-servers.ts";
import { visit } from "./visit.ts";

const SOURCES = join(import.meta.dirname, "..", "src");
/** Elements that open a dialog. */
const OPENS = /<(?:Dialog|ConfirmDialog|FormDialog|DeleteButton|RemoveButton|LinkedList)\b/g;
/** Sources of these elements, which are built of each other. */
const ELEMENTS = /^parts\/(?:dialogs\/|lists\/linked-list)/;

const USER = "a-user-whose-name-is-as-long-as-the-e-mail-address-of-somebody@example.com";
const GROUP = "GroupOfEverybodyWhoLooksAfterTheReportsOfAllDepartments";
const POLICY = "PolicyThatLetsEverybodyReadTheReportsOfAllDepartmentsAtAnyTime";
const WIDE = { width: 1366, height: 768 };
const NARROW = { width: 375, height: 667 };
/** Sizes of the window, one after the other, while a dialog is open. */
type Sizes = readonly { readonly width: number; readonly height: number }[];
/** Opening a page takes most of the time: where it is not opened in each size, every second dialog is opened in the other. */
const sizesOf = (index: number): readonly Sizes[] => {
  if (isWhole) return [[WIDE], [NARROW]];
  return [index % 2 === 0 ? [WIDE, NARROW] : [NARROW, WIDE]];
};

/** A dialog: the source that has it, and how a person opens it. */
interface Opening {
  readonly source: string;
  readonly what: string;
  readonly open: (page: Page) => Promise<void>;
}

/** Goes to a page and presses a button there. */
function pressing(path: string, button: string | RegExp): Opening["open"] {
  return async (page) => {
    await visit(page, path);
    await page.getByRole("button", { name: button }).first().click();
  };
}

/** Goes to the group and chooses an access. */
function choosing(access: RegExp): Opening["open"] {
  return async (page) => {
    await visit(page, `/groups/${GROUP}`);
    await page.getByLabel(access).click();
  };
}

const user = `/users/${encodeURIComponent(USER)}`;
const OPENINGS: readonly Opening[] = [
  { source: "pages/users/create-user.tsx", what: "create a user", open: pressing("/users", "Create user") },
  {
    source: "pages/groups/create-group.tsx",
    what: "create a group",
    open: pressing("/groups", "Create group"),
  },
  { source: "pages/users/edit-user.tsx", what: "edit a user", open: pressing(user, "Edit user") },
  { source: "pages/users/user-page.tsx", what: "delete a user", open: pressing(user, "Delete user") },
  {
    source: "pages/groups/group-page.tsx",
    what: "delete a group",
    open: pressing(`/groups/${GROUP}`, "Delete group"),
  },
  {
    source: "pages/policies/policy-page.tsx",
    what: "delete a policy",
    open: pressing(`/policies/${POLICY}`, "Delete policy"),
  },
  {
    source: "parts/access-keys.tsx",
    what: "delete an access key",
    open: pressing(user, /^Delete access key AKIA/),
  },
  {
    source: "pages/users/user-sessions.tsx",
    what: "end the sessions of a user",
    open: pressing(user, "End all sessions"),
  },
  { source: "pages/users/user-groups.tsx", what: "leave a group", open: pressing(user, /^Remove .* from/) },
  { source: "pages/users/user-policies.tsx", what: "detach from a user", open: pressing(user, /^Detach /) },
  {
    source: "pages/groups/group-members.tsx",
    what: "remove a member",
    open: pressing(`/groups/${GROUP}`, /^Remove /),
  },
  {
    source: "pages/groups/group-policies.tsx",
    what: "detach from a group",
    open: pressing(`/groups/${GROUP}`, /^Detach /),
  },
  {
    source: "pages/policies/holders.tsx",
    what: "detach from a group, on the page of the policy",
    open: pressing(`/policies/${POLICY}`, new RegExp(`^Detach .*${GROUP}`)),
  },
  {
    source: "pages/policies/holders.tsx",
    what: "detach from a user, on the page of the policy",
    open: pressing(`/policies/${POLICY}`, new RegExp(`^Detach .*${USER}`)),
  },
  {
    source: "pages/groups/access-list.tsx",
    what: "set an access list that detaches policies",
    open: choosing(/^Write/),
  },
  {
    source: "pages/groups/access-list.tsx",
    what: "set an access list",
    open: async (page) => {
      await visit(page, "/groups/Plain");
      await page.getByLabel(/^Write/).click();
    },
  },
  {
    source: "pages/policies/versions.tsx",
    what: "restore a version",
    open: pressing(`/policies/${POLICY}`, "Restore"),
  },
  {
    source: "pages/mirrors/create-mirror.tsx",
    what: "create a mirror",
    open: pressing("/mirrors", "Create mirror"),
  },
  {
    source: "pages/mirrors/edit-branches.tsx",
    what: "choose the branches of a mirror",
    open: pressing("/mirrors/sales/sales-west", "Choose branches"),
  },
  {
    source: "pages/mirrors/mirror-page.tsx",
    what: "delete a mirror",
    open: pressing("/mirrors/sales/sales-west", "Delete mirror"),
  },
  {
    source: "pages/decisions/record-dialog.tsx",
    what: "explain a decision",
    open: pressing("/decisions", /^Explain d-/),
  },
];

/** Returns the controls of the dialog that are not whole inside of it, once scrolled to. */
async function outside(dialog: Locator, page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const control of await dialog.locator("button, input, select, textarea, a").all()) {
    await control.scrollIntoViewIfNeeded();
    const [inner, outer] = [await control.boundingBox(), await dialog.boundingBox()];
    if (inner === null || outer === null) continue;
    const { width, height } = page.viewportSize() as { width: number; height: number };
    const isInside =
      inner.x >= Math.max(0, outer.x) &&
      inner.y >= Math.max(0, outer.y) &&
      inner.x + inner.width <= Math.min(width, outer.x + outer.width) &&
      inner.y + inner.height <= Math.min(height, outer.y + outer.height);
    if (!isInside) found.push(`${await control.textContent()} ${JSON.stringify({ inner, outer })}`);
  }
  return found;
}

it("every dialog that the sources can open is opened here", () => {
  const counted = new Map<string, number>();
  for (const file of globSync("**/*.tsx", { cwd: SOURCES })) {
    if (ELEMENTS.test(file)) continue;
    const count = readFileSync(join(SOURCES, file), "utf8").match(OPENS)?.length ?? 0;
    if (count > 0) counted.set(file, count);
  }
  const opened = new Map<string, number>();
  for (const { source } of OPENINGS) opened.set(source, (opened.get(source) ?? 0) + 1);
  expect(Object.fromEntries(opened)).toEqual(Object.fromEntries(counted));
});

describe.skipIf(CHROMIUM === undefined)("in Chromium, a dialog", () => {
  let console: OpenedConsole;
  let servers: MirrorServers;
  let page: Page;
  let key: Key;

  beforeAll(async () => {
    servers = await openMirrorServers();
    console = await openConsole({
      ...servers.config,
      "auth.ui_config.rbac": "simplified",
      "authorizer.decision_log.include": "all",
    });
    key = await setUp(console);
    const make = (method: string, path: string, body?: unknown) => callApi(console, key, method, path, body);
    const statement = [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }];
    await make("POST", "/auth/users", { id: USER });
    await make("POST", "/auth/groups", { id: GROUP });
    await make("POST", "/auth/groups", { id: "Plain" });
    await make("POST", "/auth/policies", { id: POLICY, statement });
    await make("PUT", `/auth/policies/${POLICY}`, { id: POLICY, statement: [...statement, ...statement] });
    await make("PUT", `/auth/groups/${GROUP}/members/${encodeURIComponent(USER)}`);
    await make("PUT", `/auth/groups/${GROUP}/policies/${POLICY}`);
    await make("PUT", `/auth/users/${encodeURIComponent(USER)}/policies/${POLICY}`);
    await make("POST", `/auth/users/${encodeURIComponent(USER)}/credentials`);
    await make("POST", "/auth/groups/Plain/acl", { permission: "Read" });
    const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/a/object/b" };
    await make("POST", "/auth/check", { user: USER, required });
    await createMirror(console, key);
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(async () => {
    await console?.close();
    await servers?.close();
  });

  const opened = OPENINGS.flatMap((one, index) =>
    sizesOf(index).map((sizes) => ({ ...one, sizes, widths: sizes.map(({ width }) => width).join(" and ") })),
  );
  it.each(opened)("that asks to $what has all controls inside, $widths pixels wide", async (one) => {
    await page.setViewportSize(one.sizes[0] as Sizes[number]);
    await one.open(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^(?:Cancel|Close)$/ }).waitFor();
    expect(await dialog.evaluate((element) => element.closest("table"))).toBe(null);
    for (const size of one.sizes) {
      await page.setViewportSize(size);
      expect(await outside(dialog, page), `${size.width}`).toEqual([]);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  });
});
