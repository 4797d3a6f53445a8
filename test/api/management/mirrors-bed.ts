/** The replication API on stand-ins of two data servers, and people with parts of what its operations need. */

import { StandIn } from "../../mirroring/stand-in/stand-in.ts";
import { type Answer, basic, callTarget, DATASET, KEYS, type Management, startManagement } from "./kit.ts";

export const MIRRORS = "/service/replication/v1/repositories/sales/mirrors";
export const ALL = "/service/replication/v1/mirrors";
export const BODY = { name: "sales-west", region: "west", storage_namespace: "local://sales-west" };

/** Users with a part each of what an operation needs. */
const PARTS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  creator: [
    ["fs:CreateRepository", "arn:svc:fs:::repository/sales-west"],
    ["fs:MirrorRepository", "arn:svc:fs:::repository/sales"],
    ["fs:AttachStorageNamespace", "arn:svc:fs:::namespace/local://sales-west"],
  ],
  lister: [["fs:ListRepositories", "*"]],
  deleter: [["fs:DeleteRepository", "arn:svc:fs:::repository/sales-west"]],
  editor: [["fs:MirrorRepository", "arn:svc:fs:::repository/sales"]],
  elsewhere: [
    ["fs:*", "arn:svc:fs:::repository/other"],
    ["fs:*", "arn:svc:fs:::namespace/local://other"],
  ],
};
const keyOf = (name: string) => ({
  access_key_id: `AKIAJ${name.toUpperCase().padEnd(14, "X")}Q`,
  secret_access_key: `${name}-secret-of-the-tests`.padEnd(40, "x"),
});
const policiesOf = (name: string, statements: readonly (readonly [string, string])[]) => ({
  name: `P-${name}`,
  statement: statements.map(([action, resource]) => ({ effect: "allow", action: [action], resource })),
});

const withPart = (left: number) => PARTS["creator"]?.filter((_, at) => at !== left) ?? [];
export const PEOPLE: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  ...PARTS,
  without0: withPart(0),
  without1: withPart(1),
  without2: withPart(2),
};

/** The service with its source and its region. */
export class MirrorsBed {
  readonly source: StandIn;
  readonly west: StandIn;
  readonly api: Management;

  private constructor(source: StandIn, west: StandIn, api: Management) {
    this.source = source;
    this.west = west;
    this.api = api;
  }

  static async open(): Promise<MirrorsBed> {
    const source = await StandIn.start();
    const west = await StandIn.start();
    source.create("sales");
    const secret = { access_key_id: "AKIAJMIRRORXXXXXXXXQ", secret_access_key: "mirror-secret" };
    const dataset = {
      ...DATASET,
      users: [
        ...(DATASET.users ?? []),
        ...Object.keys(PEOPLE).map((name) => ({
          username: name,
          policies: [`P-${name}`],
          credentials: [keyOf(name)],
        })),
      ],
      policies: [
        ...(DATASET.policies ?? []),
        ...Object.entries(PEOPLE).map(([name, statements]) => policiesOf(name, statements)),
      ],
    };
    const api = await startManagement(
      {
        "authorizer.mirroring.source.endpoint": source.url,
        "authorizer.mirroring.source.access_key_id": "AKIASOURCE",
        "authorizer.mirroring.source.secret_access_key": "source-secret",
        "authorizer.mirroring.regions": { west: { endpoint: west.url, ...secret } },
        "authorizer.mirroring.verify_interval": "1s",
        "authorizer.mirroring.scan_interval": "1s",
      },
      dataset as never,
    );
    return new MirrorsBed(source, west, api);
  }

  /** Calls a target of the user listener as a person, one of {@link PEOPLE}, or nobody. */
  call(who: string | undefined, method: string, target: string, body?: unknown): Promise<Answer> {
    const key = who === undefined ? undefined : who in KEYS ? KEYS[who as keyof typeof KEYS] : keyOf(who);
    return callTarget(this.api.authorizer.userUrl, method, target, {
      ...(body !== undefined && { body }),
      headers: key === undefined ? {} : { authorization: basic(key) },
    });
  }

  async close(): Promise<void> {
    await this.api.close();
    await Promise.all([this.source.close(), this.west.close()]);
  }
}
