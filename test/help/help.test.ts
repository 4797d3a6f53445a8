/** The manual below `/help` (spec/console §5), as the service serves it. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { serviceDocument } from "../../src/listeners/service-document.ts";
import { userDocument } from "../../src/listeners/user-document.ts";
import { closedAfterAll } from "../closed-after-all.ts";
import { raw } from "../http/service-kit.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");
const PAGES = readdirSync(DOCS, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .map((path) => path.replace(/\.md$/, "").replace(/(^|\/)README$/, ""))
  .map((path) => (path === "" ? "/help" : `/help/${path}`));

const bodies = new Map<string, string>();

const authorizer = await closedAfterAll(startAuthorizer({ config: { "ui.enabled": true } }));
beforeAll(async () => {
  for (const page of [...PAGES, "/help/api", "/help/decisions"]) {
    bodies.set(page, await (await get(page)).text());
  }
});

const get = (path: string, init: RequestInit = {}) =>
  fetch(authorizer.userUrl + path, { redirect: "manual", ...init });

const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
const linksOf = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link);

describe("every page of the manual", () => {
  it("is there", () => {
    expect(PAGES.length).toBeGreaterThan(40);
  });

  it.each([...PAGES, "/help/api", "/help/decisions"])(
    "%s is a page with one heading, nothing inline and no raw markup",
    (page) => {
      const html = bodies.get(page) ?? "";
      expect(html.match(/<h1[ >]/g)).toHaveLength(1);
      expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
      // The content policy forbids inline styles and scripts.
      expect(html).not.toMatch(/ style=| on[a-z]+=|<style|<script(?! type="module" src="\/help\/assets\/)/);
      const ids = idsOf(html);
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    },
  );

  it("leads to pages and headings that exist, and to other origins by links alone", async () => {
    const broken: string[] = [];
    for (const [page, html] of bodies) {
      for (const link of linksOf(html)) {
        if (link.startsWith("https://")) continue;
        const [path = "", anchor] = link.replaceAll("&amp;", "&").split("#");
        const address = path === "" ? page : path;
        if (address === "/" || address === "/help/search") continue;
        const target = bodies.get(address);
        if (target === undefined) {
          if ((await get(address)).status !== 200) broken.push(`${page} -> ${link}`);
        } else if (anchor !== undefined && !idsOf(target).includes(decodeURIComponent(anchor))) {
          broken.push(`${page} -> ${link}`);
        }
      }
      expect(html).not.toMatch(/(?:src|<link[^>]*href)="(?:https?:)?\/\//);
    }
    expect([...new Set(broken)]).toEqual([]);
  });

  it("comes with a policy for content without unsafe words, a tag, and compressed", async () => {
    const answer = await get("/help/model", { headers: { "accept-encoding": "gzip" } });
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    const tag = answer.headers.get("etag") ?? "";
    const known = `GET /help/model HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${tag}\r\nConnection: close\r\n\r\n`;
    expect(await raw(authorizer.userUrl, known)).toMatch(/^HTTP\/1\.1 304 /);
    const [asset = ""] = linksOf(bodies.get("/help") ?? "").filter((link) => link.endsWith(".css"));
    const style = await get(asset);
    expect([style.status, style.headers.get("cache-control")]).toEqual([
      200,
      "public, max-age=31536000, immutable",
    ]);
    expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
  });

  it("is found by its name in the repository, too", async () => {
    for (const [from, to] of [
      ["/help/first-steps.md", "/help/first-steps"],
      ["/help/spec/README.md", "/help/spec"],
      ["/help/model/", "/help/model"],
    ] as const) {
      const answer = await get(from);
      expect([from, answer.status, answer.headers.get("location")]).toEqual([from, 308, to]);
    }
  });
});

describe("the reference of the APIs", () => {
  it("has every operation and every schema of both documents, with what each needs", () => {
    const ids = new Set(idsOf(bodies.get("/help/api") ?? ""));
    const documents = { user: userDocument("0"), service: serviceDocument("0") };
    for (const [name, { paths, components }] of Object.entries(documents)) {
      const operations = Object.values(paths).flatMap((item) => Object.values(item));
      expect(operations.length).toBeGreaterThan(30);
      for (const { operationId } of operations) expect(ids).toContain(`${name}-${operationId}`);
      for (const schema of Object.keys(components.schemas)) expect(ids).toContain(`${name}-schema-${schema}`);
    }
    const html = bodies.get("/help/api") ?? "";
    expect(html).toContain("<code>/access/v1/check</code>");
    expect(html).toContain("Needs a token with scope <code>decide</code>");
    expect(html).toContain("&quot;allowed&quot;: true");
  });
});

describe("the search", () => {
  const search = async (query: string) => (await get(`/help/search?q=${encodeURIComponent(query)}`)).text();

  it("finds parts of pages by all words, headings first", async () => {
    const html = await search("reset ADMINISTRATOR superuser");
    expect(html).toMatch(/\d+ results|Nothing/);
    const found = await search("first administrator");
    expect(linksOf(found)).toContain("/help/management-api#the-first-administrator");
  });

  it("shows hostile texts as texts, and finds nothing", async () => {
    const html = await search('"><script>alert(1)</script>\u202e');
    expect(html).not.toContain("<script>alert");
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("Nothing was found");
    expect((await get(`/help/search?q=${"x".repeat(5_000)}`)).status).toBe(200);
    expect((await get("/help/search?q=%ff%fe")).status).toBe(200);
    expect((await get("/help/search")).status).toBe(200);
  });
});

describe("a diagram", () => {
  it.each(["/help/model", "/help/gateways", "/help/data-server", "/help/architecture"])(
    "of %s has a picture, which loads nothing from elsewhere, and its text",
    async (path) => {
      const html = await (await get(path)).text();
      const figures = html.split('<figure class="diagram">').slice(1);
      expect(figures.length).toBeGreaterThan(0);
      for (const figure of figures) {
        // Where there is none: node scenario/draw-diagrams.ts
        const [, address = "none"] =
          /^<div class="drawn" tabindex="0"><img src="([^"]+\.svg)"/.exec(figure) ?? [];
        const picture = await get(address);
        expect([address, picture.status, picture.headers.get("content-type")]).toEqual([
          address,
          200,
          "image/svg+xml",
        ]);
        expect(await picture.text()).not.toMatch(/\/\/(?!www\.w3\.org\/)|@import|<script|\bon\w+=/);
        expect(figure).toMatch(/<summary>Diagram, as text<\/summary><pre/);
      }
    },
  );
});

describe("what is not there", () => {
  it.each([
    "/help/nothing",
    "/help/assets/none.js",
    "/help/constructor",
    "/help/__proto__",
    "/help/spec/none",
  ])("%s is a page that says so", async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringContaining("There is no such page"),
    ]);
  });

  it.each([
    "/help/..%2fpackage.json",
    "/help/%2e%2e/package.json",
    "/help/../policies/manifest.json",
    "/help/a/..%2f..%2fx.png",
  ])("%s leads out of nothing", async (path) => {
    // A path that leaves the manual is one of the console, where that is built: its page says that there is nothing.
    const answer = await get(path);
    if (answer.status !== 404) expect(await answer.text()).toMatch(/^<!doctype html>/i);
  });

  it("is everything where the pages are switched off", async () => {
    const other = await startAuthorizer({ config: { "ui.enabled": false } });
    try {
      for (const path of ["/help", "/help/api", "/help/search?q=x"]) {
        expect((await fetch(other.userUrl + path)).status).toBe(404);
      }
    } finally {
      await other.close();
    }
  });
});
