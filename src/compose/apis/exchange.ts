/** The exchange as the configuration has it. */

import { readFileSync } from "node:fs";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { ConfigError, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { readFaultOf } from "../../config/read-fault.ts";
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
    catalog,
  });
}

function secretOf(file: string): string {
  try {
    const [first = ""] = readFileSync(file, "utf8").split("\n");
    if (first.trim() !== "") return first.trim();
  } catch (error) {
    throw new ConfigError([problemOf(FILE, readFaultOf(error), { file })]);
  }
  throw new ConfigError([problemOf(FILE, "its first line is empty", { file })]);
}
