/** The data servers of mirroring, with the keys of the configuration or with those of a user that each mirror has. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { ConfigError, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { readSecretFile } from "../config/secret-file.ts";
import type { ConfigName, ConfigValues } from "../config/table.ts";
import type { Directory } from "../directory/directory.ts";
import { MirrorRecords } from "../mirroring/mirror-records.ts";
import { type ServerAccess, ServerCalls, type ServerKey } from "../mirroring/server/calls.ts";
import { DataServer } from "../mirroring/server/data-server.ts";
import type { ServerAccesses } from "../mirroring/servers.ts";
import type { AuditLog } from "../observe/log/audit-log.ts";
import type { DataParts } from "./data.ts";
import { MirrorKeys } from "./mirror-keys.ts";

const REGIONS = "authorizer.mirroring.regions";
const SOURCE_FILE = "authorizer.mirroring.source.secret_access_key_file";

/** A data server of the configuration; without a key mirrors call it as users of their own. */
interface ConfiguredServer {
  readonly endpoint: string;
  readonly key: ServerKey | undefined;
}

/**
 * Opens the servers; calls none of them yet.
 * @param signal ends all calls
 * @throws ConfigError where the file of a secret cannot be read or is empty
 */
export function openMirrorServers(
  { values, directory, catalog, store }: Pick<DataParts, "values" | "directory" | "catalog" | "store">,
  audit: Pick<AuditLog, "event">,
  signal: AbortSignal,
): ServerAccesses {
  const regions = regionsOf(values);
  const source = sourceOf(values);
  const records = new MirrorRecords(store);
  const keys = new MirrorKeys({
    directory,
    partition: catalog.partition,
    audit,
    exists: async ({ name, uid }) => (await records.get(name))?.mirror.uid === uid,
  });
  const open = (access: ServerAccess): DataServer => new DataServer(new ServerCalls(access, { signal }));
  const shared = ({ endpoint, key }: ConfiguredServer): DataServer | undefined =>
    key && open({ endpoint, ...key });
  const sharedSource = shared(source);
  const sharedRegions = new Map([...regions].map(([name, server]) => [name, shared(server)]));
  const usesOwn = sharedSource === undefined || [...sharedRegions.values()].includes(undefined);
  return {
    regions: [...regions.keys()],
    source: sharedSource,
    for: (mirror, isNew = false) => {
      const own = ({ endpoint }: ConfiguredServer) => open({ endpoint, keys: keys.of(mirror, isNew) });
      return {
        source: sharedSource ?? own(source),
        destinations: new Map(
          [...regions].map(([name, server]) => [name, sharedRegions.get(name) ?? own(server)]),
        ),
      };
    },
    forget: async (mirror) => {
      if (usesOwn) await keys.forget(mirror);
    },
    sweep: (known) => keys.sweep(known),
    isProtected: async (region) => {
      const server = regions.get(region);
      if (server === undefined) return false;
      // A data server that takes a key of this directory asks this service.
      return server.key === undefined || (await ownerOf(directory, server.key.accessKeyId)) !== undefined;
    },
  };
}

/** The user of a key; undefined for one that this directory has not. */
export async function ownerOf(
  { credentials }: Pick<Directory, "credentials">,
  accessKeyId: string,
): Promise<string | undefined> {
  try {
    return (await credentials.getWithSecret(accessKeyId)).username;
  } catch (error) {
    if (isErrorCode(error, "not_found")) return undefined;
    throw error;
  }
}

function regionsOf(values: ConfigValues): ReadonlyMap<string, ConfiguredServer> {
  return new Map(
    [...(values[REGIONS] ?? [])].map(([name, region]) => {
      const { endpoint, access_key_id, secret_access_key, secret_access_key_file: file } = region;
      const secret = () => secret_access_key ?? secretOf(REGIONS, file ?? "");
      return [name, { endpoint, key: keyOf(access_key_id, secret) }];
    }),
  );
}

function sourceOf(values: ConfigValues): ConfiguredServer {
  const secret = (): string =>
    values["authorizer.mirroring.source.secret_access_key"] ??
    secretOf(SOURCE_FILE, values["authorizer.mirroring.source.secret_access_key_file"] ?? "");
  return {
    endpoint: values["authorizer.mirroring.source.endpoint"] ?? "",
    key: keyOf(values["authorizer.mirroring.source.access_key_id"], secret),
  };
}

function keyOf(accessKeyId: string | undefined, secret: () => string): ServerKey | undefined {
  return accessKeyId === undefined ? undefined : { accessKeyId, secretAccessKey: secret() };
}

function secretOf(item: ConfigName, file: string): string {
  const read = readSecretFile(file);
  if ("secret" in read && read.secret !== "") return read.secret;
  const fault = "fault" in read ? read.fault : "its first line is empty";
  throw new ConfigError([problemOf(item, fault, { file })]);
}
