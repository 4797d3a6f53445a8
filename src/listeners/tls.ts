/** Certificates of the listeners, read from the files that the configuration names. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { readFaultOf } from "../config/read-fault.ts";
import type { ConfigName, ConfigValues } from "../config/table.ts";
import type { TlsMaterial } from "../http/server/server-lifecycle.ts";

/** TLS of a listener; empty for plain HTTP. */
interface ListenerTls {
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

/**
 * TLS of both listeners. Each file is read once.
 * @throws CertificateError that names each file of either that cannot be read or used
 */
export function listenerTls(values: ConfigValues): {
  readonly service: ListenerTls;
  readonly user: ListenerTls;
} {
  const faults: CertificateFault[] = [];
  const read = (tlsOf: (values: ConfigValues) => ListenerTls): ListenerTls => {
    try {
      return tlsOf(values);
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      faults.push(...error.faults);
      return {};
    }
  };
  const tls = { service: read(serviceTls), user: read(userTls) };
  if (faults.length > 0) throw new CertificateError(faults);
  return tls;
}

/** Returns what is wrong with the files of the listeners, by the names of the items; [] if nothing is. */
export function certificateFaults(values: ConfigValues): readonly CertificateFault[] {
  try {
    listenerTls(values);
    return [];
  } catch (error) {
    if (error instanceof CertificateError) return error.faults;
    throw error;
  }
}

/** A fault of a file. */
interface CertificateFault {
  readonly item: ConfigName;
  readonly message: string;
}

/** Thrown with everything that is wrong with the files of a listener. */
class CertificateError extends AuthorizerError {
  readonly faults: readonly CertificateFault[];

  constructor(faults: readonly CertificateFault[]) {
    super("invalid_request", faults.map(({ item, message }) => `${item}: ${message}`).join("\n"));
    this.faults = faults;
  }
}

type ItemFile = readonly [item: ConfigName, file: string | undefined];

/**
 * Reads the files of a listener.
 * @throws CertificateError that names each file that cannot be read or used
 */
function readAll(files: Readonly<Record<"cert" | "key", ItemFile> & { clientCa?: ItemFile }>): TlsMaterial {
  const faults: CertificateFault[] = [];
  /** Reads a file, and tries its content. */
  const read = <T>([item, file = ""]: ItemFile, wanted: string, use: (content: Buffer) => T) => {
    let content: Buffer;
    try {
      content = readFileSync(file);
    } catch (error) {
      faults.push({ item, message: `${file}: ${readFaultOf(error)}` });
      return undefined;
    }
    try {
      return { content, used: use(content) };
    } catch (error) {
      faults.push({ item, message: `${file}: is no ${wanted} in PEM (${(error as Error).message})` });
      return undefined;
    }
  };
  const { clientCa } = files;
  const cert = read(files.cert, "certificate", (content) => new X509Certificate(content));
  const key = read(files.key, "private key without a passphrase", (content) => createPrivateKey(content));
  const ca = clientCa && read(clientCa, "certificate", (content) => new X509Certificate(content));
  if (cert !== undefined && key !== undefined && !cert.used.checkPrivateKey(key.used)) {
    faults.push({ item: files.key[0], message: `${files.key[1]}: is not the key of ${files.cert[0]}` });
  }
  if (faults.length > 0) throw new CertificateError(faults);
  const pair = { cert: cert?.content ?? "", key: key?.content ?? "" };
  return ca === undefined ? pair : { ...pair, clientCa: ca.content };
}
