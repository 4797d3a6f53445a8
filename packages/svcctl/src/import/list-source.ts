/** Finds the store that a URI names. */

import { assertInstalled } from "@svc-authorizer/commands/optional-packages.ts";
import type { ListSource, SourceObject, SourceSettings } from "./object-source.ts";

/**
 * The store of a URI. Its client is loaded only now.
 * @throws Error for a scheme that is no store, and where its client is not installed
 */
export async function listSource(
  from: string,
  settings: SourceSettings,
): Promise<AsyncIterable<SourceObject>> {
  const uri = URL.canParse(from) ? new URL(from) : undefined;
  const lister = uri === undefined ? undefined : await listerOf(uri);
  if (uri === undefined || lister === undefined) {
    throw new Error(
      `error creating object-store walker: no storage adapter found for ${JSON.stringify(from)}`,
    );
  }
  return lister(uri, settings);
}

async function listerOf({ protocol, hostname }: URL): Promise<ListSource | undefined> {
  if (protocol === "s3:") return (await import("./list-s3.ts")).listS3;
  if (protocol === "local:") return (await import("./list-folder.ts")).listFolder;
  if (protocol === "gs:") return (await import("./list-google.ts")).listGoogle;
  if (protocol === "https:" && /\.blob\.core\./.test(hostname)) {
    assertInstalled("svcctl ingest from Azure", ["@azure/identity", "@azure/storage-blob"]);
    return (await import("./list-azure.ts")).listAzure;
  }
  return undefined;
}
