/** Brings the listeners up at their addresses. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import { parseListenAddress } from "../../config/values/listen-address.ts";
import type { ManagedServer } from "../../http/server/server-lifecycle.ts";

/** Number of ports to try after a busy one. */
const PORTS_TO_TRY = 50;
const HIGHEST_PORT = 65_535;

/** The addresses of listeners that not every configuration has. */
export interface ProxyAddresses {
  /** `host:port` for Envoy. */
  readonly extAuthz?: string;
  /** URL of the streaming listener. */
  readonly streaming?: string;
}

/** The listeners of {@link ProxyAddresses}. */
interface ProxyListeners {
  readonly extAuthz: Pick<ManagedServer, "listen"> | undefined;
  readonly streaming: Pick<ManagedServer, "listen"> | undefined;
}

/** Brings the listeners for proxies up that the configuration has. Throws as {@link listenAt}. */
export async function listenForProxies(
  { extAuthz, streaming }: ProxyListeners,
  values: ConfigValues,
  nextFreePort: boolean,
): Promise<ProxyAddresses> {
  const listen = async (
    server: Pick<ManagedServer, "listen"> | undefined,
    item: "authorizer.ext_authz.listen_address" | "authorizer.exchange.streaming_address",
  ): Promise<string | undefined> => {
    const address = values[item];
    if (server === undefined || address === undefined) return undefined;
    return listenAt(server, { item, address, nextFreePort });
  };
  const forEnvoy = await listen(extAuthz, "authorizer.ext_authz.listen_address");
  const forStreams = await listen(streaming, "authorizer.exchange.streaming_address");
  return {
    ...(forEnvoy === undefined ? {} : { extAuthz: forEnvoy }),
    ...(forStreams === undefined ? {} : { streaming: forStreams }),
  };
}

/** Options of a listener. */
interface ListenOptions {
  /** The configuration item, for messages. */
  readonly item: string;
  readonly address: string;
  /** Take the next free port if the wanted one is busy (quick start only). */
  readonly nextFreePort: boolean;
}

/**
 * Listens and returns the URL with the real address.
 * @throws AuthorizerError "unavailable" naming the item and what to do
 */
export async function listenAt(
  server: Pick<ManagedServer, "listen">,
  options: ListenOptions,
): Promise<string> {
  const { item, address, nextFreePort } = options;
  const wanted = parseListenAddress(address);
  if (wanted === undefined) throw new AuthorizerError("invalid_request", `${item}: expected host:port`);
  const last =
    nextFreePort && wanted.port > 0 ? Math.min(wanted.port + PORTS_TO_TRY, HIGHEST_PORT) : wanted.port;
  for (let port = wanted.port; ; port++) {
    try {
      return await server.listen({ host: wanted.host, port });
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code;
      if (code === "EADDRINUSE" && port < last) continue;
      throw new AuthorizerError("unavailable", `${item}: cannot listen on ${address}: ${reason(code)}`, {
        cause,
      });
    }
  }
}

function reason(code: string | undefined): string {
  if (code === "EADDRINUSE") return "the port is in use; stop the other process or choose another port";
  if (code === "EACCES") return "this user may not use the port; choose one above 1023";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return "this machine has no such address";
  return code ?? "unknown error";
}
