/** Stand-ins of two data servers, for consoles with mirrors. */
import type { Repository } from "../../../test/mirroring/stand-in/repository.ts";
import { StandIn } from "../../../test/mirroring/stand-in/stand-in.ts";
import type { Key, OpenedConsole } from "./console.ts";

/** The servers, and what a service is configured with to mirror between them. */
export interface MirrorServers {
  readonly source: StandIn;
  readonly west: StandIn;
  /** The repository that is mirrored, `sales`. */
  readonly sales: Repository;
  readonly config: Readonly<Record<string, unknown>>;
  /** Copies what the source's store has for `sales` to the namespace `local://sales-west`. */
  replicate(): void;
  close(): Promise<void>;
}

/** Starts them. */
export async function openMirrorServers(): Promise<MirrorServers> {
  const [source, west] = await Promise.all([StandIn.start(), StandIn.start()]);
  const key = { access_key_id: "AKIAJDATASERVERXXXXQ", secret_access_key: "a-secret-of-the-data-servers" };
  return {
    source,
    west,
    sales: source.create("sales"),
    config: {
      "authorizer.mirroring.source": { endpoint: source.url, ...key },
      "authorizer.mirroring.regions": { west: { endpoint: west.url, ...key } },
      "authorizer.mirroring.scan_interval": "1s",
      "authorizer.mirroring.verify_interval": "1s",
    },
    replicate: () => {
      for (const [name, bytes] of source.store)
        west.store.set(name.replace(/^local:\/\/sales\b/, "local://sales-west"), bytes);
    },
    close: async () => {
      await Promise.all([source.close(), west.close()]);
    },
  };
}

/** Creates the mirror `sales-west` of `sales`. */
export async function createMirror({ url }: OpenedConsole, key: Key): Promise<void> {
  const proof = Buffer.from(`${key.access_key_id}:${key.secret_access_key}`).toString("base64");
  const answer = await fetch(`${url}/service/replication/v1/repositories/sales/mirrors`, {
    method: "POST",
    headers: { Authorization: `Basic ${proof}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "sales-west", region: "west", storage_namespace: "local://sales-west" }),
  });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
}
