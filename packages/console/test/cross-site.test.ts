/** Pages of other sites, and of another origin of the same site, which get the cookie too. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, callApi, type Key, type OpenedConsole, openConsole, setUp, signIn } from "./console.ts";

const MS = 5_000;

describe.skipIf(CHROMIUM === undefined)("in Chromium, a page of another", () => {
  let console: OpenedConsole;
  let page: Page;
  let key: Key;
  let elsewhere: Server;

  /** Evaluates a script in a page of the other origin. */
  const there = (script: string): Promise<unknown> => page.evaluate(`(async () => { ${script} })()`);

  beforeAll(async () => {
    console = await openConsole({ "authorizer.decision_log.include": "all" });
    key = await setUp(console);
    elsewhere = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html").end("<!doctype html><title>elsewhere</title><body>");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => elsewhere.once("listening", resolve));
    page = await console.newPage();
    await signIn(page, key);
  });
  afterAll(async () => {
    await console.close();
    elsewhere.close();
  });

  /** Names of all users; the session of the browser must still hold. */
  const users = async (): Promise<readonly string[]> => {
    const { results } = (await callApi(console, key, "GET", "/auth/users")) as {
      readonly results: readonly { readonly id: string }[];
    };
    return results.map(({ id }) => id);
  };
  const isSignedIn = async (): Promise<boolean> => {
    const own = await page.context().newPage();
    await own.goto(console.url);
    const status = await own.evaluate(`fetch("/api/v1/user").then(({ status }) => status)`);
    await own.close();
    return status === 200;
  };

  describe.each([
    ["site", "localhost"],
    ["origin of the same site", "127.0.0.1"],
  ])("%s", (_, host) => {
    let api: string;

    beforeAll(async () => {
      api = `${console.url}/api/v1`;
      await page.goto(`http://${host}:${(elsewhere.address() as AddressInfo).port}/`);
      expect(await page.evaluate("location.origin")).not.toBe(console.url);
    });

    it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])(
      "makes no change by a form of type %s",
      async (type) => {
        const frame = `frame-${type}`;
        const answered = page.waitForResponse((response) => response.url() === `${api}/auth/users`);
        await there(`
          document.body.innerHTML = '<iframe name="${frame}"></iframe>';
          const form = document.createElement("form");
          Object.assign(form, { action: "${api}/auth/users", method: "post", enctype: "${type}", target: "${frame}" });
          const input = document.createElement("input");
          Object.assign(input, { name: '{"id":"by-form', value: '"}' });
          form.append(input);
          document.body.append(form);
          form.submit();
        `);
        expect((await answered).status()).toBeGreaterThanOrEqual(400);
        expect(await users()).toEqual(["admin"]);
      },
    );

    it.each([
      ["POST", "/auth/users", '{"id":"by-fetch"}'],
      ["DELETE", "/auth/users/admin", undefined],
      ["POST", "/auth/logout", undefined],
      ["POST", "/auth/users/admin/credentials", undefined],
    ])("makes no change by fetch, with the cookie: %s %s", async (method, path, body) => {
      for (const type of ["application/json", "text/plain"]) {
        for (const mode of ["cors", "no-cors"]) {
          const init = { method, mode, credentials: "include", body, headers: { "Content-Type": type } };
          // Neither an answer nor a status is readable; a request without preflight reaches the service, which refuses.
          expect(
            await there(
              `return await fetch("${api}${path}", ${JSON.stringify(init)}).then(({ status }) => status, () => 0)`,
            ),
            `${type} ${mode}`,
          ).toBe(0);
        }
      }
      expect(await there(`return navigator.sendBeacon("${api}${path}", ${JSON.stringify(body ?? "")})`)).toBe(
        true,
      );
      expect(await isSignedIn()).toBe(true);
      expect(await users()).toEqual(["admin"]);
      const keys = await callApi(console, key, "GET", "/auth/users/admin/credentials");
      expect(keys).toMatchObject({ results: [{ access_key_id: key.access_key_id }] });
    });

    it.each(["/user", "/auth/users", "/decisions", "/auth/access/review", "/config"])(
      "reads nothing of %s: not by fetch, not as a script, a style or an image",
      async (path) => {
        const fetched = `fetch("${api}${path}", { credentials: "include" }).then((answer) => answer.text(), () => "")`;
        expect(await there(`return await ${fetched}`)).toBe("");
        for (const [tag, attribute] of [
          ["script", "src"],
          ["img", "src"],
          ["link", "href"],
        ] as const) {
          const loaded = await there(`
            const element = document.createElement("${tag}");
            if ("${tag}" === "link") element.rel = "stylesheet";
            const end = new Promise((resolve) => {
              element.onload = () => resolve("loaded");
              element.onerror = () => resolve("refused");
            });
            element.${attribute} = "${api}${path}";
            document.head.append(element);
            return await end;
          `);
          expect(loaded, tag).toBe("refused");
        }
      },
    );

    it("gets no stream of records, and no socket", async () => {
      await callApi(console, key, "POST", "/auth/check", {
        user: "admin",
        required: { action: "fs:ReadObject", resource: "*" },
      });
      const outcome = await there(`
        const source = new EventSource("${api}/decisions/stream", { withCredentials: true });
        const stream = await new Promise((resolve) => {
          source.onmessage = () => resolve("message");
          source.onopen = () => resolve("open");
          source.onerror = () => resolve("refused");
          setTimeout(() => resolve("nothing"), ${MS});
        });
        source.close();
        const socket = new WebSocket("${api.replace("http", "ws")}/decisions/stream");
        const opened = await new Promise((resolve) => {
          socket.onopen = () => resolve("open");
          socket.onerror = () => resolve("refused");
          setTimeout(() => resolve("nothing"), ${MS});
        });
        return [stream, opened];
      `);
      expect(outcome).toEqual(["refused", "refused"]);
    });

    it.each(["/", "/users", "/login", "/help", "/api/v1/user"])("shows %s in no frame", async (path) => {
      const shown = await there(`
        const frame = document.createElement("iframe");
        const loaded = new Promise((resolve) => { frame.onload = resolve; });
        frame.src = "${console.url}${path}";
        document.body.append(frame);
        await loaded;
      `).then(() => page.frames().at(-1)?.evaluate("document.body.innerText + document.title"));
      expect(shown).not.toMatch(/svc-authorizer|"user"|Sign in/);
    });

    it("reaches nothing of a window that it opens", async () => {
      const opening = page.context().waitForEvent("page");
      await page.evaluate(`window.opened = open("${console.url}/users"); undefined`);
      const opened = await opening;
      await opened.getByRole("heading", { level: 1 }).waitFor();
      expect(
        await there(`try { return window.opened.document.title } catch (error) { return error.name }`),
      ).toMatch(/SecurityError/);
      await opened.close();
    });
  });
});
