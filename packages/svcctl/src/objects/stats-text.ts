/** An object as text, in the form of the data server's own tool. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { JsonObject } from "../api/api-client.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { humanBytes } from "../output/human-bytes.ts";
import type { Style } from "../style.ts";
import { metadataOf, sizeAndChecksum } from "./object-stats.ts";

const KEY = 18;

/** The lines that `fs stat` prints. */
export function statsText(stats: JsonObject, { yellow }: Style): string {
  const field = (name: string): string => safeText(textField(stats, name));
  const { size } = sizeAndChecksum(stats);
  const expires = stats["physical_address_expiry"];
  const metadata = [...metadataOf(stats)].sort(([left], [right]) => (left < right ? -1 : 1));
  const lines = [
    `Path: ${yellow(field("path"))}`,
    `Modified Time: ${formatDate(stats["mtime"])}`,
    `Size: ${size} bytes`,
    `Human Size: ${humanBytes(size)}`,
    `Physical Address: ${field("physical_address")}`,
    ...(typeof expires === "number" ? [`Physical Address Expires: ${formatDate(expires)}`] : []),
    `Checksum: ${field("checksum")}`,
    `Content-Type: ${field("content_type")}`,
    ...(metadata.length === 0 ? [] : ["Metadata:", "\t"]),
  ];
  const shown = metadata.map(([name, value]) => `\n\t${safeText(name).padEnd(KEY)} = ${safeText(value)}`);
  const text = lines.join("\n");
  return metadata.length === 0 ? `${text}\n` : `${text}${shown.join("")}\n`;
}
