/** A data server that knows one key, the service and a proxy as deploy/exchange configures it, with and without TLS between all. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { type ProgramName, startProxy } from "../gateways/proxy-program.ts";
import { portFor } from "../gateways/start-behind-proxy.ts";
import { selfSigned } from "../http/certificate.ts";
import { type OneKeyServer, startOneKeyServer } from "./one-key-server.ts";
import { PROXY_TOKEN, startExchange } from "./start-exchange.ts";

/** The servers. */
export interface Sides {
  readonly dataServer: OneKeyServer;
  readonly authorizer: TestAuthorizer;
  readonly proxyPort: number;
  /** Of the proxy, at 127.0.0.1. */
  readonly url: string;
  close(): Promise<void>;
}

/** One for all sides and starts: many of one name are told apart by nobody. */
const certificate = selfSigned("svc.example.com");

const portOf = (url: string | undefined): number => Number(new URL(url ?? "").port);

/**
 * Starts them, the streaming listener too.
 * @param scheme "https": everybody speaks TLS, by one certificate that this process trusts from then on
 */
export async function startSides(name: ProgramName, scheme: "http" | "https"): Promise<Sides> {
  const tls = scheme === "https" ? certificate : undefined;
  const folder = mkdtempSync(join(tmpdir(), "sides-"));
  const items: Record<string, unknown> = {};
  if (tls !== undefined) {
    setDefaultCACertificates([...getCACertificates("default"), tls.cert]);
    for (const kind of ["cert", "key"] as const) {
      const file = join(folder, kind);
      writeFileSync(file, tls[kind]);
      for (const section of ["tls", "authorizer.tls"]) items[`${section}.${kind}_file`] = file;
    }
    Object.assign(items, { "tls.enabled": true, "authorizer.tls.enabled": true });
  }
  const dataServer = await startOneKeyServer(["data", "other"], tls);
  const authorizer = await startExchange(name, {
    ...items,
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `${scheme}://127.0.0.1:${dataServer.port}`,
  });
  const proxy = await startProxy(name, {
    dataServerPort: dataServer.port,
    authorizerPort: portFor(authorizer),
    streamingPort: portOf(authorizer.streamingUrl),
    ...(name === "nginx" && { userPort: portOf(authorizer.userUrl) }),
    ...(tls !== undefined && { tls }),
    proxyToken: PROXY_TOKEN,
    exchange: true,
  });
  return {
    dataServer,
    authorizer,
    proxyPort: proxy.port,
    url: `${scheme}://127.0.0.1:${proxy.port}`,
    close: async () => {
      await proxy.close();
      await authorizer.close();
      await dataServer.close();
      rmSync(folder, { recursive: true });
    },
  };
}
