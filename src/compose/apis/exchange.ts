/** The exchange as the configuration has it. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { ConfigError, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { readSecretFile } from "../../config/secret-file.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { openExchange } from "../../exchange/open-exchange.ts";

const FILE = "authorizer.exchange.secret_access_key_file";

/**
 * Builds the exchange; undefined where `authorizer.exchange` names no key.
 * @throws ConfigError where the file of the secret cannot be read or is empty
 */
export function serviceExchange(
  values: ConfigValues,
  catalog: Pick<Catalog, "endpoints">,
): Exchange | undefined {
  const accessKeyId = values["authorizer.exchange.access_key_id"];
  if (accessKeyId === undefined) return undefined;
  const secret =
    values["authorizer.exchange.secret_access_key"] ??
    secretOf(values["authorizer.exchange.secret_access_key_file"] ?? "");
  return openExchange({
    key: { accessKeyId, secret },
    region: values["authorizer.exchange.region"] ?? values["gateways.s3.region"],
    presigned: values["authorizer.exchange.presigned"],
    streams: values["authorizer.exchange.streaming_address"] !== undefined,
    catalog,
  });
}

function secretOf(file: string): string {
  const read = readSecretFile(file);
  const fault = "fault" in read ? read.fault : "its first line is empty";
  if ("secret" in read && read.secret !== "") return read.secret;
  throw new ConfigError([problemOf(FILE, fault, { file })]);
}
