/** Every page with hostile content in the store: in light and dark, wide and narrow. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole } from "../../../test/proofs/size.ts";
import {
  CHROMIUM,
  callApi,
  type Key,
  type OpenedConsole,
  openConsole,
  seriousFindings,
  setUp,
  signIn,
} from "./console.ts";
import { createMirror, type MirrorServers, openMirrorServers } from "./mirror-servers.ts";
import { visit } from "./visit.ts";

const MARKUP = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
/** Turns around what follows it, unless it stands on its own. */
const TURNING = "\u05e9\u05dc\u05d5\u05dd \u202egnp.exe";
/** No name may have it, but texts may. */
const PERCENT = "100%25 %2e%2e%2f";
const NAMES = [
  MARKUP,
  TURNING,
  "a/../b#c&d=e",
  `"quoted" 'name' \`x\``,
  "__proto__",
  "constructor",
  "w".repeat(1_000),
];
const POLICIES = [MARKUP.replaceAll("/", "|"), TURNING, "__proto__", `"quoted" 'name'`, "w".repeat(1_000)];
const ENDLESS = "e".repeat(4_000);
const RESOURCE = `arn:svc:fs:::repository/${MARKUP}${TURNING}`;
const STATEMENT = [
  { effect: "allow", action: ["fs:ReadObject"], resource: `arn:svc:fs:::repository/${"y".repeat(4_000)}/*` },
  {
    sid: "Turning",
    effect: "deny",
    action: ["fs:*"],
    resource: RESOURCE,
    condition: { StringLike: { SourceIp: [TURNING, ..."abcd".split("").map((one) => one.repeat(2_500))] } },
  },
  { effect: "allow", action: ["fs:WriteObject"], resource: RESOURCE },
];
/** A name that could be read as a path stands in the query. */
const userPage = (name: string): string =>
  name.includes("/../") ? asked("/users/-", { id: name }) : `/users/${encodeURIComponent(name)}`;
const asked = (path: string, more: Record<string, string>): string => `${path}?${new URLSearchParams(more)}`;
const QUESTION = { action: "fs:WriteObject", resource: RESOURCE };

/** Addresses, and what is opened on them. */
const PAGES: readonly (readonly [address: string, open?: (page: Page) => Promise<unknown>])[] = [
  ["/"],
  ["/users"],
  ["/users?search=o", (page) => page.getByRole("button", { name: "Create user", exact: true }).click()],
  ...NAMES.filter((name) => name !== "constructor" && !name.startsWith('"')).map(
    (name) => [userPage(name)] as const,
  ),
  [
    `/users/${encodeURIComponent(TURNING)}`,
    (page) => page.getByRole("button", { name: "Delete user", exact: true }).click(),
  ],
  ["/groups"],
  ...[MARKUP, TURNING, "__proto__"].map((name) => [`/groups/${encodeURIComponent(name)}`] as const),
  [
    `/groups/${encodeURIComponent(TURNING)}`,
    (page) =>
      page
        .getByRole("button", { name: /^Remove / })
        .first()
        .click(),
  ],
  ["/policies"],
  ...POLICIES.filter((name) => !name.startsWith('"')).map(
    (name) => [`/policies/${encodeURIComponent(name)}`] as const,
  ),
  [
    `/policies/${encodeURIComponent(TURNING)}`,
    (page) => page.getByRole("button", { name: "Delete policy", exact: true }).click(),
  ],
  ["/create-policy"],
  [asked("/playground", { user: TURNING, ...QUESTION })],
  [
    asked("/playground", { user: MARKUP, action: `fs:${"e".repeat(100)}`, resource: RESOURCE }),
    (page) => page.getByRole("button", { name: "Add a policy", exact: true }).click(),
  ],
  [asked("/who-can", { ...QUESTION, of: MARKUP, on: RESOURCE })],
  ["/decisions"],
  [
    "/decisions?decision=allow",
    (page) =>
      page
        .getByRole("button", { name: /^Explain d-/ })
        .first()
        .click(),
  ],
  ["/review"],
  ["/account"],
  ["/mirrors", (page) => page.getByRole("button", { name: "Create mirror", exact: true }).click()],
  // What the mirror waits for is an object with such a name.
  ["/mirrors/sales/sales-west", (page) => page.locator(".warnings").getByText("onerror").waitFor()],
  [
    "/mirrors/sales/sales-west",
    (page) => page.getByRole("button", { name: "Delete mirror", exact: true }).click(),
  ],
  ["/nothing"],
];

/** Widths and colours; where only one of them differs from what was looked at, only the rules that it concerns. */
const VARIANTS = [
  [1440, "light", undefined],
  [1440, "dark", ["color-contrast"]],
  [390, "dark", undefined],
  [390, "light", ["color-contrast"]],
] as const;

/** The variants of a page: where they are not all, both widths and both colours, on every second page in the other pairs. */
const variantsOf = (index: number) =>
  isWhole
    ? VARIANTS
    : index % 2 === 0
      ? [VARIANTS[0], VARIANTS[2]]
      : ([
          [390, "light", undefined],
          [1440, "dark", ["color-contrast"]],
        ] as const);

/** Says {@link LOOK} of an element that was reached before. */
const AROUND = "around";

/** Makes `look`: notes the focused element as reached, and returns it if nothing shows that it has the focus. */
const LOOK = `(() => {
  const presses = new Map();
  let last;
  window.reached = presses;
  window.look = (press) => {
    const element = document.activeElement;
    if (element === document.body) return "";
    // Within some elements there is more than one place.
    if (element !== last && presses.has(element) && presses.get(element) < press) return "${AROUND}";
    presses.set(element, press);
    last = element;
    const { outlineStyle } = getComputedStyle(element.shadowRoot?.activeElement?.closest(".cm-editor") ?? element);
    return outlineStyle === "none" ? element.outerHTML.slice(0, 120) : "";
  };
})()`;

describe.skipIf(CHROMIUM === undefined)("in Chromium, a page with hostile content", () => {
  let console: OpenedConsole;
  let servers: MirrorServers;
  let page: Page;

  beforeAll(async () => {
    servers = await openMirrorServers();
    const { sales } = servers;
    sales.commit("main", sales.upload({ [MARKUP + TURNING]: "1" }));
    for (const [name, bytes] of servers.source.store)
      if (bytes.length > 1)
        servers.west.store.set(name.replace("local://sales", "local://sales-west"), bytes);
    console = await openConsole({ ...servers.config, "authorizer.decision_log.include": "all" });
    const admin = await setUp(console);
    await createMirror(console, admin);
    const call = (method: string, path: string, body?: unknown) =>
      callApi(console, admin, method, path, body);
    for (const id of POLICIES) await call("POST", "/auth/policies", { id, statement: STATEMENT });
    for (const [index, id] of NAMES.entries()) {
      const policy = encodeURIComponent(POLICIES[index % POLICIES.length] as string);
      const path = encodeURIComponent(id);
      const description = index === 0 ? ENDLESS : MARKUP + PERCENT + TURNING;
      await call("POST", "/auth/groups", { id, description });
      await call("POST", "/auth/users", { id });
      await call("PUT", `/auth/groups/${path}/members/${path}`);
      await call("PUT", `/auth/users/${path}/policies/${policy}`);
      await call("PUT", `/auth/groups/${path}/policies/${policy}`);
      const required = { action: "fs:WriteObject", resource: RESOURCE };
      await call("POST", "/auth/check", { user: id, required, context: { SourceIp: MARKUP } });
    }
    // The person who looks has such a name, too.
    const name = encodeURIComponent(MARKUP);
    await call("PUT", `/auth/groups/Admins/members/${name}`);
    page = await console.newPage();
    page.on("dialog", (dialog) => {
      console.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await signIn(page, (await call("POST", `/auth/users/${name}/credentials`)) as Key);
  });
  afterAll(async () => {
    await console?.close();
    await servers?.close();
  });

  const shown = PAGES.map(([address, open], index) => {
    return { address, open, variants: variantsOf(index), name: `${index}: ${address.slice(0, 30)}` };
  });
  it.each(shown)(
    "$name is readable for everybody, and as wide as its window",
    async ({ address, open, variants }) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await visit(page, address);
      await open?.(page);
      await expect.poll(() => page.locator(".loading").count()).toBe(0);
      expect(await page.locator("h1").count()).toBe(1);
      for (const [width, colorScheme, rules] of variants) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        expect(await seriousFindings(page, rules), `${width} ${colorScheme}`).toEqual([]);
        expect(await faultsOfLayout(page), `${width} ${colorScheme}`).toEqual([]);
      }
      // The browser reports each answer of 400 and above: a user is asked about who is none.
      expect(console.faults.splice(0).filter((fault) => !/status of 4\d\d/.test(fault))).toEqual([]);
    },
  );

  it("is found by the search of the header, and the search opens it", async () => {
    await page.goto("/account");
    for (const part of ["onerror", "gnp", "__proto__"]) {
      const search = page.getByRole("combobox", { name: "Search users, groups and policies" });
      await search.fill(part);
      await page.getByRole("option").first().waitFor();
      expect(await faultsOfLayout(page)).toEqual([]);
      const before = page.url();
      await search.press("Enter");
      // Until the page of this user is there, the one before is, too, with its search about to be emptied.
      await page.waitForURL((url) => url.href !== before && url.pathname.startsWith("/users/"));
      await page.getByRole("button", { name: "Delete user", exact: true }).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
    }
    expect(console.faults).toEqual([]);
  });

  it("is opened by Enter in the search before the service has answered", async () => {
    await page.goto("/account");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const answers = await heldBack(page, "**/api/v1/auth/*?*");
    const search = page.getByRole("combobox", { name: "Search users, groups and policies" });
    await search.fill("onerror");
    await search.press("Enter");
    await expect.poll(() => answers.held()).toBeGreaterThan(0);
    expect(new URL(page.url()).pathname).toBe("/account");
    answers.release();
    await page.waitForURL((url) => url.pathname.startsWith("/users/"));
  });

  it("that opens late takes nobody out of the search", async () => {
    const scripts = await heldBack(page, "**/*account-page*");
    await page.goto("/account");
    const search = page.getByRole("combobox", { name: "Search users, groups and policies" });
    await search.fill("onerror");
    await page.getByRole("option").first().waitFor();
    await expect.poll(() => scripts.held()).toBeGreaterThan(0);
    scripts.release();
    await expect.poll(() => page.title()).toMatch(/^Account/);
    expect(await page.getByRole("option").first().isVisible()).toBe(true);
    await search.press("Enter");
    await page.waitForURL((url) => url.pathname.startsWith("/users/"));
  });

  it.each([
    "/",
    userPage(TURNING),
    `/policies/${encodeURIComponent(TURNING)}`,
    asked("/playground", { user: MARKUP, ...QUESTION }),
    "/who-can",
    "/decisions",
    "/review",
    "/mirrors/sales/sales-west",
  ])("%s is reached as a whole by the keyboard alone, and shows where one is", async (address) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await visit(page, address);
    await expect.poll(() => page.locator(".loading").count()).toBe(0);
    const controls = await page.evaluate<number>(`(() => {
      const all = 'a[href], button:enabled, input:enabled, select, textarea, summary, [tabindex="0"]';
      window.controls = [...document.querySelectorAll(all)].filter((one) => one.checkVisibility());
      document.activeElement.blur();
      return window.controls.length;
    })()`);
    expect(controls).toBeGreaterThan(10);
    await page.evaluate(LOOK);
    let found = "";
    for (let presses = 0; found !== AROUND && presses < controls + 20; presses++) {
      await page.keyboard.press("Tab");
      // The editor shows its ring a moment after it has the focus.
      await expect
        .poll(async () => {
          found = await page.evaluate<string>(`look(${presses})`);
          return found;
        })
        .toMatch(/^(?:around)?$/);
    }
    // Of choices that exclude each other, one is reached, and the arrow keys reach the others.
    const missed = await page.evaluate(`window.controls
      .filter((one) => one.isConnected && !window.reached.has(one) && one.type !== "radio")
      .map((one) => one.outerHTML.slice(0, 120))`);
    expect(missed).toEqual([]);
  });

  it("has a content policy without unsafe-*, and is kept nowhere", async () => {
    const answer = await page.goto("/users");
    const headers = answer?.headers() ?? {};
    expect(headers["content-security-policy"]).toMatch(/^default-src 'self'/);
    expect(headers["content-security-policy"]).not.toMatch(/unsafe-|data:|https?:|\*/);
    expect(headers["cache-control"]).toBe("no-store");
  });
});

/** Holds requests of a page back until they are released. */
async function heldBack(page: Page, url: string) {
  const released = Promise.withResolvers<void>();
  let held = 0;
  await page.route(url, async (route) => {
    held += 1;
    await released.promise;
    await route.continue();
  });
  return { held: () => held, release: () => released.resolve() };
}

/** Elements that stick out of the window, markup that came alive, and text that could turn its neighbours around. */
function faultsOfLayout(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const found = [];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) found.push("wider than the window: " + root.scrollWidth);
    for (const alive of document.querySelectorAll("main img, main script, header img, nav img")) {
      found.push("alive: " + alive.outerHTML);
    }
    const wide = (element) => element.getBoundingClientRect().right > innerWidth + 1;
    for (const element of document.querySelectorAll("main button, main a, main input, main h1, dialog *")) {
      const scrolls = element.closest(".for-readers, .code-editor, textarea, .name-to-type") !== null;
      if (!scrolls && element.getClientRects().length > 0 && wide(element)) {
        found.push("sticks out: " + element.outerHTML.slice(0, 120));
      }
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (!data.includes("\\u202e") || parentElement.closest("option, title, textarea") !== null) continue;
      let around = parentElement;
      const isApart = (element) => getComputedStyle(element).unicodeBidi !== "normal";
      while (around !== null && !isApart(around)) around = around.parentElement;
      // Blocks are apart from each other, too: a text that is alone in its block turns nothing else around.
      if (around === null && parentElement.textContent !== data) {
        found.push("turns around: " + parentElement.outerHTML.slice(0, 120));
      }
    }
    return found;
  })()`);
}
