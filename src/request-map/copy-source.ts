/** The header `x-amz-copy-source` as the gateway of the data server reads it. */

import { decodeForm, isVisibleAscii } from "./percent.ts";
import { Unreadable } from "./unreadable.ts";
import { checkValue } from "./value-rules.ts";

/** The object that is copied. */
interface CopySource {
  readonly repository: string;
  readonly key: string;
}

/**
 * Reads `/bucket/ref/key` or `bucket/ref/key`, decoded once in form style and then split. Refuses `?versionId`: S3
 * reads it as a version, the data server as a part of the key.
 */
export function readCopySource(header: string): CopySource | Unreadable {
  if (!isVisibleAscii(header)) {
    return new Unreadable("the copy source has a character that must be percent-encoded");
  }
  if (header.includes("?")) return new Unreadable("the copy source names a version");
  const decoded = decodeForm(header, "the copy source");
  if (decoded instanceof Unreadable) return decoded;
  const [repository = "", ref = "", ...key] = (decoded.startsWith("/") ? decoded.slice(1) : decoded).split(
    "/",
  );
  const source = { repository, ref, key: key.join("/") };
  for (const [name, value] of Object.entries(source)) {
    const checked = checkValue(value, `the ${name} of the copy source`);
    if (checked instanceof Unreadable) return checked;
  }
  return source;
}
