/** Checks before objects are imported. */

import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import type { ApiClient } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { storageConfig } from "../transfer/presign-mode.ts";
import type { SvcUri } from "../uri/svc-uri.ts";

/** Host of Azure's storage that an older form of URIs names. */
const OLD_AZURE = "adls.core.windows.net";
const AZURE = "blob.core.windows.net";

/**
 * The URI to import from.
 * @throws Error where the storage of the repository cannot import it
 */
export async function requireImportable(
  { context }: CommandCall,
  api: ApiClient,
  repository: string,
  from: string,
): Promise<string> {
  const source = from.replace(OLD_AZURE, AZURE);
  if (source !== from) {
    context.err(`${context.errorStyle.yellow("Warning:")} 'adls' hint is deprecated\n Using ${source}\n\n`);
  }
  const storage = await storageConfig(api, repository);
  const pattern = storage["import_validity_regex"];
  if (typeof pattern !== "string" || pattern === "" || patternOf(pattern).test(source)) return source;
  const type = String(storage["blockstore_type"]);
  throw new Error(`import source '${source}' doesn't match current configured storage '${type}'`);
}

/** The server's expressions are Go's, which are JavaScript's except in corners that no URI needs. */
function patternOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    throw new Error("Bad response from server: its import_validity_regex is none", { cause: error });
  }
}

/** False where the server knows no such branch. */
export async function branchExists(api: ApiClient, { repository, ref }: SvcUri): Promise<boolean> {
  const path = ["repositories", repository, "branches", ref];
  try {
    await api.fetchObject({ method: "GET", path, expect: 200 });
    return true;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return false;
    throw error;
  }
}
