/** Decides which way contents take, and how many at once, from the options of a command and what a server supports. */

import type { ApiClient } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";

/** Whether contents go past the server. */
export interface PresignMode {
  readonly presign: boolean;
  /** Uploads of several parts too. */
  readonly multipart: boolean;
}

/**
 * Combines `--pre-sign` with what the server's storage supports. Without the flag, the server decides; with `--pre-sign=false` it
 * is not asked.
 */
export async function presignModeOf(
  api: ApiClient,
  { options, command }: CommandCall,
  repository: string,
): Promise<PresignMode> {
  const refused = command.getOptionValueSource("preSign") === "cli" && options["preSign"] === false;
  return refused ? { presign: false, multipart: false } : serverPresignMode(api, repository);
}

/** Asks what the storage of a repository supports. */
export async function serverPresignMode(api: ApiClient, repository: string): Promise<PresignMode> {
  const storage = await storageConfig(api, repository);
  return {
    presign: storage["pre_sign_support"] === true,
    multipart: storage["pre_sign_multipart_upload"] === true,
  };
}

/** The configuration of the storage that holds a repository. */
export async function storageConfig(
  api: ApiClient,
  repository: string,
): Promise<Readonly<Record<string, unknown>>> {
  const config = await api.fetchObject({ method: "GET", path: ["config"], expect: 200 });
  const { storage_config: only, storage_config_list: list } = config;
  if (Array.isArray(list) && list.length > 1) {
    const path = ["repositories", repository];
    const { storage_id: id = "" } = await api.fetchObject({ method: "GET", path, expect: 200 });
    const found = list.filter(isObject).find((one) => (one["blockstore_id"] ?? "") === id);
    if (found === undefined) throw new Error(`Storage config not found for repo ${repository}`);
    return found;
  }
  if (!isObject(only)) {
    // svc-authorizer has a configuration, too. Its answer about a repository says where those are.
    await api.fetchObject({ method: "GET", path: ["repositories", repository], expect: 200 });
    throw new Error("Bad response from server for GetConfig");
  }
  return only;
}

/**
 * The number of operations at once: the flag, else `options.parallelism` of the configuration, else its default.
 * @throws Error below 1
 */
export function parallelismOf(api: ApiClient, { options, command }: CommandCall): number {
  const flag = Number(options["parallelism"]);
  if (flag < 1) throw new Error(`Invalid value for parallelism (${flag}), minimum is 1.`);
  const given = command.getOptionValueSource("parallelism") === "cli";
  return given ? flag : Math.max(1, api.settings.parallelism ?? flag);
}
