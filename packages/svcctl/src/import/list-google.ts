/** Objects of Google Cloud Storage. */

import { Storage } from "@google-cloud/storage";
import { folderOfPrefix, type SourceObject } from "./object-source.ts";

/** Lists a bucket with the credentials that Google's tools use. */
export async function* listGoogle(uri: URL): AsyncGenerator<SourceObject> {
  const prefix = decodeURIComponent(uri.pathname).replace(/^\//, "");
  const folder = folderOfPrefix(prefix);
  const bucket = new Storage().bucket(uri.host);
  for await (const file of bucket.getFilesStream({ prefix })) {
    const { name, metadata } = file;
    const md5 = metadata.md5Hash;
    yield {
      address: `gs://${uri.host}/${name}`,
      relative: name.slice(folder.length),
      size: Number(metadata.size ?? 0),
      checksum: md5 === undefined ? (metadata.etag ?? "") : Buffer.from(md5, "base64").toString("hex"),
      mtime: Math.floor(Date.parse(metadata.updated ?? "") / 1000) || Math.floor(Date.now() / 1000),
    };
  }
}
