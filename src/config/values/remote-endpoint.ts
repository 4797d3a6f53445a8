/** The address of the remote authenticator, as far as this service may ask it. */

import type { ConfigValues } from "../table.ts";
import { isLoopbackHost, parseListenAddress } from "./listen-address.ts";

/** Below it, this service answers data servers. */
const OWN_PATH = "/authentication/v1";
/** Of the call, below the address of an authentication API. */
const PRINCIPAL_PATH = "/auth/external/principal/login";

/**
 * The address that is asked; undefined where it is off, and where it is a listener of this service: one file may configure
 * a data server, too.
 */
export function remoteEndpoint(values: ConfigValues): URL | undefined {
  const text = values["auth.remote_authenticator.endpoint"];
  if (!values["auth.remote_authenticator.enabled"] || text === undefined) return undefined;
  const url = URL.parse(text);
  return url === null || isOwn(url, values) ? undefined : url;
}

/**
 * The address at which external principals are asked for; undefined where it is off, is a listener of this service, or is one
 * to which no identity may be sent.
 */
export function principalEndpoint(values: ConfigValues): URL | undefined {
  const text = values["auth.authentication_api.endpoint"];
  if (!values["auth.authentication_api.external_principals_enabled"]) return undefined;
  const url = isRemoteEndpoint(text) ? URL.parse(`${text.replace(/\/+$/, "")}${PRINCIPAL_PATH}`) : null;
  return url === null || isOwn(url, values) ? undefined : url;
}

/** True for an address to which passwords may be sent. */
export function isRemoteEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username + url.password + url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(hostOf(url)));
}

function isOwn(url: URL, values: ConfigValues): boolean {
  if (!url.pathname.startsWith(OWN_PATH)) return false;
  const publicUrl = URL.parse(values["authorizer.public_url"] ?? "");
  if (publicUrl?.origin === url.origin) return true;
  const listener = parseListenAddress(values["authorizer.listen_address"]);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return listener?.port === port && (isLoopbackHost(hostOf(url)) || hostOf(url) === listener.host);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
