/** A service over a store that can be put back to an earlier state, and a proxy before it that cuts connections. */

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { changeLog } from "../../../src/compose/store/change-log.ts";
import { openDecisions } from "../../../src/decisions/open-decisions.ts";
import type { OpenedDirectory } from "../../../src/directory/open-directory.ts";
import { ReplicaRecords } from "../../../src/directory/read/replica-records.ts";
import type { JournalStore } from "../../../src/journal/journal-store.ts";
import { CommitNotes, openRevisions } from "../../../src/journal/revisions.ts";
import { Health } from "../../../src/listeners/health.ts";
import { createServiceListener } from "../../../src/listeners/service.ts";
import { createHttpCounters } from "../../../src/observe/metrics/create-http-counters.ts";
import { openEndpoints } from "../../../src/request-map/open-endpoints.ts";
import { openLocalStore } from "../../../src/store/local/local-store.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Store } from "../../../src/store/port.ts";
import { openDirectoryOn } from "../../directory/open-test-directory.ts";
import { DEFAULT_LIMITS } from "../../http/default-limits.ts";
import { API_TOKEN, MemoryLog } from "../../http/service-kit.ts";
import { openNode, sharedBy } from "../../journal/bed.ts";
import { restorable } from "../../journal/restorable.ts";

/** A node that answers. */
export interface Node {
  readonly url: string;
  readonly directory: OpenedDirectory;
  readonly store: Store;
  close(): Promise<void>;
}

/** Opens a listener on a store. */
async function openListener(store: Store): Promise<Node> {
  const directory = await openDirectoryOn(store);
  const catalog = await openCatalog({ partition: "svc" });
  const decisions = await openDecisions({
    directory,
    catalog,
    endpoints: openEndpoints(catalog),
    cache: { enabled: true, size: 100, ttl: 3_600_000, jitter: 0 },
    audit: { decisions: "none", decision() {} },
    requestProperties: "fill",
  });
  const revisions = openRevisions({ store, notes: new CommitNotes() });
  const listener = createServiceListener({
    version: "1",
    decisions,
    bearer: { apiToken: API_TOKEN },
    limits: DEFAULT_LIMITS,
    health: new Health({ checkStore: () => directory.health() }),
    log: new MemoryLog(false),
    counters: createHttpCounters(),
    revisions,
    changes: {
      log: changeLog({ store, journal: undefined }),
      records: new ReplicaRecords(store),
      decisions: { partition: "svc", request_properties: "fill", policies_per_user: 10_000 },
    },
  });
  const url = await listener.listen({ host: "127.0.0.1", port: 0 });
  const close = async (): Promise<void> => {
    await listener.close();
    await decisions.close();
    revisions.close();
    await directory.close();
    await store.close();
  };
  return { url, directory, store, close };
}

/** A service whose state can be saved, and put back. */
export interface Service {
  /** The nodes that answer now. */
  readonly nodes: readonly Node[];
  save(): Promise<void>;
  /** Puts the state back to how it was saved last; all nodes hear of their database after that. */
  putBack(): Promise<void>;
  close(): Promise<void>;
}

/** A local store, of which a backup of its folder is put back while it is stopped. */
export async function localService(): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "time-lines-"));
  const [path, backup] = [join(folder, "store"), join(folder, "backup")];
  const open = async () => openListener(await openLocalStore({ path, syncWrites: false }));
  let node = await open();
  const stopped = async (work: () => void): Promise<void> => {
    await node.close();
    work();
    node = await open();
  };
  return {
    get nodes() {
      return [node];
    },
    save: () =>
      stopped(() => {
        rmSync(backup, { recursive: true, force: true });
        cpSync(path, backup, { recursive: true });
      }),
    putBack: () =>
      stopped(() => {
        rmSync(path, { recursive: true });
        cpSync(backup, path, { recursive: true });
      }),
    close: async () => {
      await node.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A store in memory: what is put back is an empty one, of another log, that is filled anew. */
export async function replacedService(fill: (node: Node) => Promise<void>): Promise<Service> {
  let node = await openListener(openMemoryStore());
  return {
    get nodes() {
      return [node];
    },
    save: async () => {},
    putBack: async () => {
      await node.close();
      node = await openListener(openMemoryStore());
      await fill(node);
    },
    close: () => node.close(),
  };
}

/** Two nodes over one database that is put back; some of them start anew then. */
export async function sharedService(restarts: () => boolean): Promise<Service> {
  const { engine, save, putBack } = restorable();
  const open = async (): Promise<Node> => openListener(await openNode(sharedBy(engine)));
  const nodes = [await open(), await open()];
  return {
    nodes,
    save,
    putBack: async () => {
      putBack();
      for (const [index, node] of nodes.entries()) {
        if (!restarts()) continue;
        await node.close();
        nodes[index] = await open();
      }
      for (const { store } of nodes) await heard(store as JournalStore);
    },
    close: async () => {
      for (const node of nodes) await node.close();
    },
  };
}

/** Resolves once a node has heard from its database. */
async function heard(store: JournalStore): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await store.prove!();
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** One address before nodes that change: each connection goes to one of them, and may be cut after some bytes. */
export class CuttingProxy {
  readonly #server = createServer((socket) => this.#pass(socket));
  readonly #open = new Set<Socket>();
  readonly #target: () => string | undefined;
  readonly #cutAfter: () => number;

  /**
   * @param target URL of the node for the next connection; undefined: it is ended at once
   * @param cutAfter bytes of an answer after which the next connection is cut
   */
  constructor(target: () => string | undefined, cutAfter: () => number) {
    this.#target = target;
    this.#cutAfter = cutAfter;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #pass(socket: Socket): void {
    const target = this.#target();
    if (target === undefined) {
      socket.destroy();
      return;
    }
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname);
    let left = this.#cutAfter();
    for (const one of [socket, upstream]) {
      this.#open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        this.#open.delete(one);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.on("data", (piece) => upstream.write(piece));
    upstream.on("data", (piece) => {
      socket.write(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) socket.end();
    });
  }
}
