/** Rules of signing in with identity providers (spec/sign-in §1). */

import type { ConfigName, ConfigValues } from "./table.ts";
import { isLoopbackHost } from "./values/listen-address.ts";
import { redactUrl } from "./values/redact-url.ts";
import { isRemoteEndpoint } from "./values/remote-endpoint.ts";

/** Reports origins that are none, and issuers with which nobody could sign in. */
export function signInProblems(
  values: ConfigValues,
  problem: (name: ConfigName, message: string) => void,
): void {
  for (const name of ["auth.logout_redirect_url", "auth.ui_config.login_url"] as const) {
    const address = values[name];
    if (address !== undefined && !isAddress(address))
      problem(name, "expected a path, such as /login, or an https URL");
  }
  const endpoint = values["auth.remote_authenticator.endpoint"];
  if (values["auth.remote_authenticator.enabled"] && endpoint !== undefined && !isRemoteEndpoint(endpoint)) {
    const message = "expected an https URL, or http on this machine: passwords would travel in clear text";
    problem("auth.remote_authenticator.endpoint", message);
  }
  if (
    values["auth.remote_authenticator.enabled"] &&
    values["authorizer.oidc.issuers"].some((issuer) => issuer.name === "remote")
  ) {
    const message =
      "no issuer may have the name remote where auth.remote_authenticator.enabled is true: ids of people would meet";
    problem("authorizer.oidc.issuers", message);
  }
  orderProblems(values, problem);
  const name = "authorizer.sign_in.origins";
  const origins = values[name];
  for (const origin of origins) {
    if (!isOrigin(origin)) {
      problem(
        name,
        `expected origins such as https://authz.example.com (http on this machine alone): ${redactUrl(origin)}`,
      );
    }
  }
  if (origins.length === 0 && values["authorizer.oidc.issuers"].some((issuer) => issuer.sign_in)) {
    problem(name, "required where an issuer has sign_in: true: browsers must come back to a known address");
  }
}

/** Ways other than issuers, as `authorizer.sign_in.order` names them. */
const OTHER_WAYS: readonly string[] = ["password", "access_key"];

function orderProblems(values: ConfigValues, problem: (name: ConfigName, message: string) => void): void {
  const name = "authorizer.sign_in.order";
  const order = values[name];
  const issuers = values["authorizer.oidc.issuers"].filter((issuer) => issuer.sign_in);
  const known = new Set([...issuers.map((issuer) => issuer.name), ...OTHER_WAYS]);
  for (const way of order) {
    if (!known.has(way)) problem(name, `no issuer with sign_in, password or access_key: ${redactUrl(way)}`);
  }
  for (const way of OTHER_WAYS) {
    if (issuers.some((issuer) => issuer.name === way))
      problem(name, `an issuer has the name ${way}, too: which one is meant cannot be known`);
  }
  if (new Set(order).size < order.length) problem(name, "names a way twice");
}

/** True for what may follow a click: nothing runs there in the name of this origin. */
function isAddress(text: string): boolean {
  if (/^\/(?![/\\])[!-~]*$/.test(text)) return true;
  const url = URL.parse(text);
  return (
    url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)))
  );
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.origin !== text) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}
