/** Two nodes of the service on one PostgreSQL that mirror a repository, each with lines of its own to whatever it calls. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { withEdits } from "../../end-to-end/edited-sources.ts";
import { newFolder, type RunningProgram, start, writeConfig } from "../../end-to-end/program.ts";
import type { Edit } from "../../journal/model/biases.ts";
import { AUTHORIZATION, MIRRORS, mirrorConfig } from "../mirror-service.ts";
import { isWhole } from "../size.ts";
import { DatabaseLine, DataServerLine } from "./lines.ts";

/** A quarter of the time after which a silent node loses a lease: most of the proof is the wait for it. */
const SHORTER: readonly Edit[] = [
  { file: "src/store/leases.ts", from: "TAKE_OVER_MS = 60_000;", to: "TAKE_OVER_MS = 15_000;" },
  { file: "src/store/leases.ts", from: "RENEW_MS = 20_000;", to: "RENEW_MS = 5_000;" },
];

/** The two data servers and the database. */
interface NodeServers {
  readonly source: string;
  readonly destination: string;
  readonly key: { readonly access_key_id: string; readonly secret_access_key: string };
  readonly database: string;
}

/** A node. */
export class MirrorNode {
  readonly database: DatabaseLine;
  readonly source: DataServerLine;
  readonly destination: DataServerLine;
  readonly #servers: NodeServers;
  #program: RunningProgram | undefined;

  private constructor(servers: NodeServers, lines: Pick<MirrorNode, "database" | "source" | "destination">) {
    this.#servers = servers;
    this.database = lines.database;
    this.source = lines.source;
    this.destination = lines.destination;
  }

  static async start(servers: NodeServers): Promise<MirrorNode> {
    const node = new MirrorNode(servers, {
      database: await DatabaseLine.to(Number(new URL(servers.database).port)),
      source: await DataServerLine.to(servers.source),
      destination: await DataServerLine.to(servers.destination),
    });
    await node.restart();
    return node;
  }

  get program(): RunningProgram {
    if (this.#program === undefined) throw new Error("the node does not run");
    return this.#program;
  }

  async restart(): Promise<void> {
    const folder = newFolder();
    const { key } = this.#servers;
    const database = new URL(this.#servers.database);
    database.port = String(this.database.port);
    const config = writeConfig(folder, {
      ...mirrorConfig({ source: this.source.url, destination: this.destination.url, key }),
      "database.type": "postgres",
      "database.postgres.connection_string": String(database),
      logging: { level: "WARN", output: [join(folder, "log")] },
    });
    const { env, main } = withEdits(isWhole ? [] : SHORTER);
    this.#program = await start(["--config", config], folder, env, main);
  }

  /** Passes that came to their end. */
  async passes(): Promise<number> {
    const answer = await fetch(`${this.program.metrics}/metrics`);
    const found = /^svc_authorizer_mirror_passes_total\{[^}]*\} (\d+)$/m.exec(await answer.text());
    return Number(found?.[1] ?? 0);
  }

  /** Waits until this node makes a pass. */
  async act(): Promise<void> {
    const before = await this.passes();
    while ((await this.passes()) <= before) await delay(200);
  }

  async createMirror(): Promise<void> {
    const body = { name: "sales-west", region: "west", storage_namespace: "local://sales-west" };
    const answer = await fetch(this.program.user + MIRRORS, {
      method: "POST",
      headers: { authorization: AUTHORIZATION, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}
