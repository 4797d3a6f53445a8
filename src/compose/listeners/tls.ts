/** Certificates of the listeners, read from the files that the configuration names. */

import { readFileSync } from "node:fs";
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
    tls: {
      cert: read("authorizer.tls.cert_file", values["authorizer.tls.cert_file"]),
      key: read("authorizer.tls.key_file", values["authorizer.tls.key_file"]),
      ...(clientCa === undefined ? {} : { clientCa: read("authorizer.tls.client_ca_file", clientCa) }),
    },
  };
}

/** TLS of the user listener (`tls.*`). */
export function userTls(values: ConfigValues): ListenerTls {
  if (!values["tls.enabled"]) return {};
  return {
    tls: {
      cert: read("tls.cert_file", values["tls.cert_file"]),
      key: read("tls.key_file", values["tls.key_file"]),
    },
  };
}

function read(item: string, file: string | undefined): Buffer {
  try {
    return readFileSync(file ?? "");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new AuthorizerError("invalid_request", `${item}: ${file ?? ""} cannot be read (${code})`, {
      cause,
    });
  }
}
