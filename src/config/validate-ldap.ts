/** Rules of signing in with LDAP (spec/sign-in §8). */

import type { ConfigName, ConfigValues } from "./table.ts";
import { isLoopbackHost } from "./values/listen-address.ts";

type Tell = (name: ConfigName, message: string) => void;

const ATTRIBUTES = [
  "authorizer.ldap.username_attribute",
  "authorizer.ldap.external_id_attribute",
  "authorizer.ldap.group_name_attribute",
] as const;
const FILTERS = ["authorizer.ldap.user_filter", "authorizer.ldap.group_filter"] as const;
const ATTRIBUTE = /^[A-Za-z][A-Za-z0-9-]*$/;

/** Reports a server that would be asked without TLS or cannot be asked, and names that are none. */
export function ldapProblems(values: ConfigValues, problem: Tell): void {
  const text = values["authorizer.ldap.url"];
  if (text === undefined) return;
  checkAddress(text, values, problem);
  checkBind(values, problem);
  if (!values["authorizer.ldap.user_base_dn"])
    problem("authorizer.ldap.user_base_dn", "required with authorizer.ldap.url");
  for (const name of ATTRIBUTES) {
    if (!ATTRIBUTE.test(values[name])) problem(name, "expected the name of an attribute, such as uid");
  }
  for (const name of FILTERS) {
    if (!isFilter(values[name]))
      problem(name, "expected a filter in parentheses, such as (objectClass=person)");
  }
  if (values["authorizer.oidc.issuers"].some(({ name }) => name === "ldap")) {
    problem(
      "authorizer.oidc.issuers",
      "no issuer may have the name ldap where authorizer.ldap.url is set: ids of people would meet",
    );
  }
}

function checkAddress(text: string, values: ConfigValues, problem: Tell): void {
  const name = "authorizer.ldap.url";
  const url = URL.parse(text);
  const isServer =
    url !== null &&
    (url.protocol === "ldap:" || url.protocol === "ldaps:") &&
    url.hostname !== "" &&
    url.username + url.password + url.search + url.hash === "" &&
    ["", "/"].includes(url.pathname);
  if (!isServer) {
    problem(name, "expected an address such as ldaps://ldap.example.com");
    return;
  }
  const startTls = values["authorizer.ldap.start_tls"];
  if (url.protocol === "ldaps:" && startTls)
    problem("authorizer.ldap.start_tls", "ldaps:// has TLS from the beginning");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol === "ldap:" && !startTls && !isLoopbackHost(host)) {
    problem(name, "passwords would travel in clear text: use ldaps:// or authorizer.ldap.start_tls");
  }
}

function checkBind(values: ConfigValues, problem: Tell): void {
  const given = [
    values["authorizer.ldap.bind_password"],
    values["authorizer.ldap.bind_password_file"],
  ].filter((one) => one !== undefined && one !== "");
  const hasDn = Boolean(values["authorizer.ldap.bind_dn"]);
  if (hasDn && given.length !== 1)
    problem(
      "authorizer.ldap.bind_password",
      "authorizer.ldap.bind_dn needs a password: either this, or bind_password_file",
    );
  if (!hasDn && given.length > 0) problem("authorizer.ldap.bind_dn", "required with a password");
}

/** Whether the parentheses of a text close, and it is in one pair of them. */
function isFilter(text: string): boolean {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === "(") depth++;
    else if (character === ")") depth--;
    const isLast = index === [...text].length - 1;
    if (depth < 0 || (depth === 0 && !isLast)) return false;
  }
  return depth === 0 && text.startsWith("(");
}
