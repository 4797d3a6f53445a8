/** Blobs of Azure Storage: `https://account.blob.core.windows.net/container/prefix`. */

import { DefaultAzureCredential } from "@azure/identity";
import { ContainerClient } from "@azure/storage-blob";
import { folderOfPrefix, type SourceObject } from "./object-source.ts";

/** Lists a container with a signature in the URI, or with the credentials that Azure's tools use. */
export async function* listAzure(uri: URL): AsyncGenerator<SourceObject> {
  const [, container = "", ...rest] = decodeURIComponent(uri.pathname).split("/");
  const prefix = rest.join("/");
  const folder = folderOfPrefix(prefix);
  const url = `${uri.origin}/${container}`;
  const client =
    uri.search === ""
      ? new ContainerClient(url, new DefaultAzureCredential())
      : new ContainerClient(url + uri.search);
  for await (const { name, properties, metadata } of client.listBlobsFlat({
    prefix,
    includeMetadata: true,
  })) {
    // Data lakes keep an empty blob for each folder.
    if (metadata?.["hdi_isfolder"] === "true" && !properties.contentLength) continue;
    const { contentLength = 0, contentMD5, etag = "", lastModified } = properties;
    yield {
      address: `${url}/${pathOf(name)}`,
      relative: name.slice(folder.length),
      size: contentLength,
      checksum: contentMD5 === undefined ? etag : Buffer.from(contentMD5).toString("hex"),
      mtime: Math.floor(lastModified.getTime() / 1000),
    };
  }
}

/** The name as the path of a URL, in the form that the data server gives it: a blob may have `?`, `#` and `%` in its name. */
function pathOf(name: string): string {
  return encodeURIComponent(name)
    .replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
