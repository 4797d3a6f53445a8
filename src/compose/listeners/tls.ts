/** Certificates of the listeners, read from the files that the configuration names. */

import { readFileSync } from "node:fs";
import { readFaultOf } from "../../config/read-fault.ts";
import type { ConfigValues } from "../../config/table.ts";
import { AuthorizerError } from "../../errors.ts";
import type { TlsMaterial } from "../../http/server/server-lifecycle.ts";

/** TLS of a listener; empty for plain HTTP. */
export interface ListenerTls {
  readonly tls?: TlsMaterial;
}

/** TLS of the service listener (`authorizer.tls.*`), with mutual TLS where `client_ca_file` is set. */
export function serviceTls(values: ConfigValues): ListenerTls {
  if (!values["authorizer.tls.enabled"]) return {};
  const clientCa = values["authorizer.tls.client_ca_file"];
  return {
    tls: readAll({
      cert: ["authorizer.tls.cert_file", values["authorizer.tls.cert_file"]],
      key: ["authorizer.tls.key_file", values["authorizer.tls.key_file"]],
      ...(clientCa !== undefined && { clientCa: ["authorizer.tls.client_ca_file", clientCa] }),
    }),
  };
}

/** TLS of the user listener (`tls.*`). */
export function userTls(values: ConfigValues): ListenerTls {
  if (!values["tls.enabled"]) return {};
  return {
    tls: readAll({
      cert: ["tls.cert_file", values["tls.cert_file"]],
      key: ["tls.key_file", values["tls.key_file"]],
    }),
  };
}

type ItemFile = readonly [item: string, file: string | undefined];

/**
 * Reads the files of a listener.
 * @throws AuthorizerError("invalid_request") that names each file that cannot be read
 */
function readAll(files: Readonly<Record<"cert" | "key", ItemFile> & { clientCa?: ItemFile }>): TlsMaterial {
  const faults: string[] = [];
  const read = ([item, file = ""]: ItemFile): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      faults.push(`${item}: ${file}: ${readFaultOf(error)}`);
      return Buffer.alloc(0);
    }
  };
  const pair = { cert: read(files.cert), key: read(files.key) };
  const material = files.clientCa === undefined ? pair : { ...pair, clientCa: read(files.clientCa) };
  if (faults.length > 0) throw new AuthorizerError("invalid_request", faults.join("\n"));
  return material;
}
