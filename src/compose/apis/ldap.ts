/** Signing in with LDAP, as the configuration has it. */

import { readFileSync } from "node:fs";
import { ConfigError, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { readFaultOf } from "../../config/read-fault.ts";
import { readSecretFile } from "../../config/secret-file.ts";
import type { ConfigValues } from "../../config/table.ts";
import { LdapDirectory } from "../../sign-in/ldap/ldap-directory.ts";
import { LdapWay } from "../../sign-in/ldap/ldap-way.ts";
import type { DataParts } from "../data.ts";
import { assertPackages } from "../needed-packages.ts";
import { protectedGroups } from "./scim.ts";

/**
 * Opens it; undefined where no server is configured.
 * @throws ConfigError where a file cannot be read; AuthorizerError "invalid_request" where its package is not installed
 */
export function openServiceLdap({ values, directory, logger }: DataParts): LdapWay | undefined {
  const ldap = ldapDirectory(values);
  if (ldap === undefined) return undefined;
  return new LdapWay({
    title: values["authorizer.ldap.title"],
    ldap,
    directory,
    isProtected: protectedGroups(values),
    assertGroups: values["authorizer.ldap.assert_groups"],
    createUsers: values["authorizer.ldap.create_users"],
    directoryUsers: values["authorizer.ldap.directory_users"],
    onFault: (cause) => {
      // Messages of the server may repeat a DN, and never a password.
      const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
      logger.warn("the LDAP server cannot be asked", {
        code,
        reason: String(message).slice(0, LONGEST_REASON),
      });
    },
  });
}

const LONGEST_REASON = 200;

/**
 * The server that is configured; undefined where there is none.
 * @throws as {@link openServiceLdap}
 */
export function ldapDirectory(values: ConfigValues): LdapDirectory | undefined {
  const url = values["authorizer.ldap.url"];
  if (url === undefined) return undefined;
  assertPackages(values, "authorizer.ldap.url");
  const groupBaseDn = values["authorizer.ldap.group_base_dn"];
  const dn = values["authorizer.ldap.bind_dn"];
  return new LdapDirectory({
    url: new URL(url),
    startTls: values["authorizer.ldap.start_tls"],
    ca: certificatesOf(values),
    bind: dn === undefined ? undefined : { dn, password: bindPasswordOf(values) },
    userBaseDn: values["authorizer.ldap.user_base_dn"] ?? "",
    userFilter: values["authorizer.ldap.user_filter"],
    usernameAttribute: values["authorizer.ldap.username_attribute"],
    externalIdAttribute: values["authorizer.ldap.external_id_attribute"],
    groups:
      groupBaseDn === undefined
        ? undefined
        : {
            baseDn: groupBaseDn,
            filter: values["authorizer.ldap.group_filter"],
            nameAttribute: values["authorizer.ldap.group_name_attribute"],
          },
    timeoutMs: values["authorizer.ldap.timeout"],
  });
}

function certificatesOf(values: ConfigValues): string | undefined {
  const file = values["authorizer.ldap.ca_file"];
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError([problemOf("authorizer.ldap.ca_file", readFaultOf(error), { file })]);
  }
}

function bindPasswordOf(values: ConfigValues): string {
  const file = values["authorizer.ldap.bind_password_file"];
  if (file === undefined) return values["authorizer.ldap.bind_password"] ?? "";
  const read = readSecretFile(file);
  const fault = "fault" in read ? read.fault : "the first line of the file is empty";
  if ("secret" in read && read.secret !== "") return read.secret;
  throw new ConfigError([problemOf("authorizer.ldap.bind_password_file", fault, { file })]);
}
