/** Several processes of the service over one PostgreSQL, as a fleet has them. */

import { setTimeout as delay } from "node:timers/promises";
import { newFolder, type RunningProgram, run, start, writeConfig } from "../end-to-end/program.ts";
import type { PostgresCluster } from "../journal/postgres-cluster.ts";

const TOKEN = "a-token-that-only-this-proof-knows-0123456789";
const KEY = "a-secret-key-that-only-this-proof-knows-0123456789";
const PAGE = 1_000;

/** A running fleet; `cleanUp` of the programs ends it. */
export class Fleet {
  readonly folder = newFolder();
  readonly config: string;
  readonly nodes: RunningProgram[] = [];

  private constructor(config: object) {
    this.config = writeConfig(this.folder, config);
  }

  /** Starts `count` nodes over a new database. */
  static async start(cluster: PostgresCluster, count: number, items: object = {}): Promise<Fleet> {
    const fleet = new Fleet({
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "database.type": "postgres",
      "database.postgres.connection_string": await cluster.newDatabase(),
      "auth.encrypt.secret_key": KEY,
      "auth.api.token": TOKEN,
      "logging.level": "WARN",
      "logging.audit_log_level": "NONE",
      ...items,
    });
    await Promise.all(Array.from({ length: count }, () => fleet.startNode()));
    return fleet;
  }

  /** Starts a node, with further arguments of `run`. */
  async startNode(args: readonly string[] = []): Promise<RunningProgram> {
    const node = await start(["--config", this.config, ...args], this.folder);
    this.nodes.push(node);
    return node;
  }

  /** Kills a node as a power loss of its machine would. */
  async kill(node: RunningProgram): Promise<void> {
    this.nodes.splice(this.nodes.indexOf(node), 1);
    await node.end("SIGKILL");
  }

  /** Asks the service listener at a URL. */
  call(service: string, method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${service}${path}`, {
      method,
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Status of a write; 0 where the connection broke. */
  async write(service: string, method: string, path: string, body?: unknown): Promise<number> {
    try {
      const answer = await this.call(service, method, `/api/v1/auth${path}`, body);
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return 0;
    }
  }

  /** The decision about a user who reads; else the status of the answer. */
  async mayRead(service: string, username: string): Promise<boolean | number> {
    const answer = await this.call(service, "POST", "/access/v1/evaluation", {
      subject: { type: "user", id: username },
      action: { name: "fs:ReadObject" },
      resource: { type: "object", id: "arn:svc:fs:::repository/r/object/o" },
    });
    const text = await answer.text();
    return answer.status === 200 ? (JSON.parse(text) as { decision: boolean }).decision : answer.status;
  }

  /** Makes the policy `Read` and waits until every node has it. */
  async makePolicy(): Promise<void> {
    const [first] = this.nodes as [RunningProgram];
    await this.write(first.service, "POST", "/policies", {
      name: "Read",
      statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }],
    });
    for (const { service } of this.nodes) await this.until(service, "/auth/policies/Read");
  }

  /** Milliseconds until a node knows something. */
  async until(service: string, path: string): Promise<number> {
    const started = performance.now();
    for (;;) {
      const answer = await this.call(service, "GET", `/api/v1${path}`);
      await answer.arrayBuffer();
      if (answer.status === 200) return performance.now() - started;
      if (performance.now() - started > 30_000) throw new Error(`${path} never appeared`);
      await delay(2);
    }
  }

  /** Everything that a node lists at a path, in order. */
  async listAll(service: string, path: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (let after = ""; ; ) {
      const query = `amount=${PAGE}&after=${encodeURIComponent(after)}`;
      const answer = await this.call(service, "GET", `/api/v1/auth${path}?${query}`);
      const { results, pagination } = (await answer.json()) as {
        results: readonly object[];
        pagination: { has_more: boolean; next_offset: string };
      };
      found.push(...results.map((one) => JSON.stringify(one)));
      if (!pagination.has_more) return found;
      after = pagination.next_offset;
    }
  }

  /** Names of all users that a node knows. */
  async users(service: string): Promise<ReadonlySet<string>> {
    const users = await this.listAll(service, "/users");
    return new Set(users.map((text) => (JSON.parse(text) as { username: string }).username));
  }

  /** Exit code and output of `check-store`. */
  async checkStore(): Promise<{ readonly code: number | null; readonly text: string }> {
    const { code, stdout, stderr } = await run(["check-store", "--config", this.config], this.folder);
    return { code, text: stdout + stderr };
  }
}
