/** Objects of a store that speaks S3. */

import { paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import { folderOfPrefix, type SourceObject, type SourceSettings } from "./object-source.ts";

/** Lists a bucket with the credentials that the AWS tools use: variables, profiles, roles. */
export async function* listS3(uri: URL, { s3Endpoint }: SourceSettings): AsyncGenerator<SourceObject> {
  const client = new S3Client({
    // Any region can be asked which one a bucket is in.
    followRegionRedirects: true,
    ...(s3Endpoint !== undefined && { endpoint: s3Endpoint, forcePathStyle: true }),
  });
  const bucket = uri.host;
  const prefix = decodeURIComponent(uri.pathname).replace(/^\//, "");
  const folder = folderOfPrefix(prefix);
  try {
    for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
      for (const { Key: key = "", Size: size = 0, ETag: etag = "", LastModified: at } of page.Contents ??
        []) {
        yield {
          address: `s3://${bucket}/${key}`,
          relative: key.slice(folder.length),
          size,
          checksum: etag.replaceAll('"', ""),
          mtime: Math.floor((at?.getTime() ?? Date.now()) / 1000),
        };
      }
    }
  } finally {
    client.destroy();
  }
}
