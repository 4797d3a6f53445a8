import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder, type RunningProgram, start, writeConfig } from "../../../test/end-to-end/program.ts";
import { type PostgresCluster, postgresBin, startPostgres } from "../../../test/journal/postgres-cluster.ts";
import { CHROMIUM, type Key, type OpenedConsole, openConsole, seriousFindings, signIn } from "./console.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const PATIENCE = { interval: 500 };
const ALL = { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] };

describe.skipIf(CHROMIUM === undefined || postgresBin() === undefined)(
  "in Chromium, an administrator of two nodes",
  () => {
    let cluster: PostgresCluster;
    let console: OpenedConsole;
    let other: RunningProgram;
    let page: Page;

    const post = async (path: string, method = "POST", body?: unknown): Promise<unknown> => {
      const answer = await fetch(`${console.program.service}/api/v1/auth${path}`, {
        method,
        headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect(answer.status, path).toBe(201);
      const text = await answer.text();
      return text === "" ? undefined : JSON.parse(text);
    };

    const overview = async () => {
      await page.reload();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      return page.getByRole("main").textContent();
    };

    beforeAll(async () => {
      cluster = await startPostgres();
      const shared = {
        "database.type": "postgres",
        "database.postgres.connection_string": await cluster.newDatabase(),
        "authorizer.decision_log.include": "all",
      };
      const own = (name: string) => ({
        "authorizer.node_name": name,
        "authorizer.decision_log.directory": join(newFolder(), "decisions"),
        "authorizer.audit.directory": join(newFolder(), "audit"),
      });
      console = await openConsole({ ...shared, ...own("node-1") });
      const folder = newFolder();
      const config = {
        listen_address: "127.0.0.1:0",
        "authorizer.listen_address": "127.0.0.1:0",
        "authorizer.metrics_address": "127.0.0.1:0",
        "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
        "auth.api.token": TOKEN,
        ...shared,
        ...own("node-2"),
      };
      other = await start(["--config", writeConfig(folder, config)], folder);
      await post("/users", "POST", { username: "root" });
      await post("/policies", "POST", ALL);
      await post("/users/root/policies/All", "PUT");
      const key = (await post("/users/root/credentials")) as Key;
      page = await console.newPage();
      await signIn(page, key);
    });
    afterAll(async () => {
      await other?.end();
      await console?.close();
      await cluster?.close();
    });

    it("reads first that the records are those of one node, and which one was not asked", async () => {
      await page.getByRole("link", { name: "Decisions", exact: true }).click();
      await page.getByText("Only node node-1 was asked. Another node was not: node-2.").waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    });

    it("reads on the overview that the database is away, and what goes on", async () => {
      await page.getByRole("link", { name: "Overview", exact: true }).click();
      await page.getByText("Ready", { exact: true }).waitFor();
      await cluster.stop();
      await expect
        .poll(overview, PATIENCE)
        .toMatch(/The database cannot be reached since .*Decisions go on from this node's copy until/);
      await cluster.start();
      await expect.poll(overview, PATIENCE).not.toContain("cannot be reached");
      expect(console.faults.filter((fault) => !fault.includes("503"))).toEqual([]);
    });
  },
);
