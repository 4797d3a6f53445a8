/**
 * Reads certificates again when their files change (spec/decision-api §1.2). It polls the times of the files: Kubernetes
 * changes mounted secrets through links to other folders, which a watch of a file does not notice.
 */

import { unwatchFile, watchFile } from "node:fs";
import type { ConfigValues } from "../../config/table.ts";
import type { ServiceParts } from "../parts.ts";
import { reloadCertificates } from "../reload.ts";

const CHECK_MS = 2_000;
/** Certificate and key are written one after the other: half a pair would be refused. */
const SETTLE_MS = 250;

/** Watches the files of both listeners; returns what ends the watching. */
export function watchCertificates(parts: ServiceParts, values: ConfigValues): () => void {
  const files = certificateFiles(values);
  let settling: NodeJS.Timeout | undefined;
  const changed = (): void => {
    clearTimeout(settling);
    settling = setTimeout(() => reloadCertificates(parts, values), SETTLE_MS).unref();
  };
  for (const file of files) watchFile(file, { interval: CHECK_MS, persistent: false }, changed);
  return () => {
    clearTimeout(settling);
    for (const file of files) unwatchFile(file, changed);
  };
}

function certificateFiles(values: ConfigValues): readonly string[] {
  const service = [
    "authorizer.tls.cert_file",
    "authorizer.tls.key_file",
    "authorizer.tls.client_ca_file",
  ] as const;
  const user = ["tls.cert_file", "tls.key_file"] as const;
  const items = [
    ...(values["authorizer.tls.enabled"] ? service : []),
    ...(values["tls.enabled"] ? user : []),
  ];
  return items.flatMap((item) => values[item] ?? []);
}
