/** The console in Chromium, against the real program with the local store. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import {
  cleanUp,
  newFolder,
  type RunningProgram,
  start,
  writeConfig,
} from "../../../test/end-to-end/program.ts";
import { sharedBrowser } from "./shared-browser.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Findings have the impact of their rule: rules whose findings would be left out take half of the time. */
const SERIOUS_ONLY = `axe.configure({
  rules: axe._audit.rules
    .filter(({ impact }) => impact === "minor" || impact === "moderate")
    .map(({ id }) => ({ id, enabled: false })),
})`;
/** The shell is the same engine without a browser's windows, and takes a third less CPU time for a page. */
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser"];

/** The browser of this machine; undefined where none is installed. */
export const CHROMIUM = BROWSERS.find(existsSync);

/** The token of the data-server API. */
export const API_TOKEN = "a-token-that-only-this-test-knows-0123456789";

/** An access key. */
export interface Key {
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

/** A running service with a browser before it. */
export interface OpenedConsole {
  readonly program: RunningProgram;
  /** Address of the user listener. */
  readonly url: string;
  /** The token with which the first administrator is set up. */
  readonly setupToken: string;
  /** A page in a fresh browser profile, 1440 pixels wide; what it must not do is in {@link OpenedConsole.faults}. */
  newPage(options?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
  /** Errors of pages, errors in their consoles, and requests that left the origin. */
  readonly faults: string[];
  close(): Promise<void>;
}

/**
 * Starts the service, before the browser that files share; the console was built before the tests.
 * @param config configuration items besides those of a service with a store of its own
 */
export async function openConsole(config: Record<string, unknown> = {}): Promise<OpenedConsole> {
  const folder = newFolder();
  const settings = {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": API_TOKEN,
    ...config,
  };
  const program = await start(["--config", writeConfig(folder, settings)], folder);
  const browser = await sharedBrowser(CHROMIUM as string);
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];
  const tokenFile = join(folder, "data", "svc-authorizer-setup-token");
  return {
    program,
    url: program.user,
    setupToken: existsSync(tokenFile) ? readFileSync(tokenFile, "utf8").trim() : "",
    newPage: async (options = {}) => {
      const context = await browser.newContext({
        baseURL: program.user,
        viewport: { width: 1440, height: 900 },
        // What fades in has no contrast meanwhile.
        reducedMotion: "reduce",
        ...options,
      });
      // A busy machine takes long for a page.
      context.setDefaultTimeout(60_000);
      contexts.push(context);
      return watched(context, program.user, faults);
    },
    faults,
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      await program.end();
      cleanUp();
    },
  };
}

async function watched(context: BrowserContext, origin: string, faults: string[]): Promise<Page> {
  context.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`left the origin: ${request.url()}`);
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()} ${message.location().url}`);
  });
  return page;
}

/** Sets up the first administrator by the API and returns the key. */
export async function setUp(
  { url, setupToken }: Pick<OpenedConsole, "url" | "setupToken">,
  username = "admin",
): Promise<Key> {
  const answer = await fetch(`${url}/api/v1/setup`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, setup_token: setupToken }),
  });
  return (await answer.json()) as Key;
}

/** Calls the management API with a key, to prepare what a journey needs. Throws what the API refuses. */
export async function callApi(
  { url }: Pick<OpenedConsole, "url">,
  key: Key,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const proof = Buffer.from(`${key.access_key_id}:${key.secret_access_key}`).toString("base64");
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { Authorization: `Basic ${proof}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** Signs in on the page that asks for it, and waits for the next one. */
export async function signIn(page: Page, key: Key): Promise<void> {
  if (new URL(page.url(), "http://none").pathname !== "/login") await page.goto("/login");
  await page.getByLabel("Access key ID", { exact: true }).fill(key.access_key_id);
  await page.getByLabel("Secret access key", { exact: true }).fill(key.secret_access_key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(({ pathname }) => pathname !== "/login");
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/**
 * Returns what axe finds serious or critical on the page, one line each.
 * @param rules those that are looked at; absent: all
 */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(`${AXE};${SERIOUS_ONLY}`);
  // What is as it should be is most of a result, and would be described element by element.
  const options = { resultTypes: ["violations"], selectors: false, preload: false };
  const asked = JSON.stringify(rules === undefined ? options : { ...options, runOnly: rules });
  const run = `axe.run(${asked}).then(({ violations }) => ({ violations }))`;
  const { violations } = (await page.evaluate(run)) as AxeResult;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${new URL(page.url()).pathname}: ${id}: ${help}: ${nodes[0]?.html}`);
}
