/** Signing in with identity providers, as the configuration has it. */

import { ConfigError, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import type { OidcIssuerItem } from "../../config/item.ts";
import { readSecretFile } from "../../config/secret-file.ts";
import type { ConfigValues } from "../../config/table.ts";
import { inOrder } from "../../sign-in/in-order.ts";
import { LDAP } from "../../sign-in/ldap/ldap-way.ts";
import { openSignIn, type SignInProvider } from "../../sign-in/open-sign-in.ts";
import { Provider } from "../../sign-in/provider.ts";
import { REMOTE } from "../../sign-in/remote-way.ts";
import type { SignIn } from "../../sign-in/sign-in.ts";
import type { DataParts } from "../data.ts";
import { issuerOf } from "../oidc.ts";
import { protectedGroups } from "./scim.ts";

/** Opens it; undefined where no issuer has `sign_in`. */
export function openServiceSignIn({ values, directory }: DataParts): SignIn | undefined {
  const secretKey = values["auth.encrypt.secret_key"] ?? "";
  const previous = values["authorizer.previous_secret_key"];
  return openSignIn({
    providers: inOrder(
      values["authorizer.oidc.issuers"].filter((issuer) => issuer.sign_in),
      values["authorizer.sign_in.order"],
      ({ name }) => name,
    ).map((issuer) => providerOf(issuer, values)),
    origins: values["authorizer.sign_in.origins"],
    directory,
    isProtected: protectedGroups(values),
    secrets: [secretKey, ...(previous === undefined || previous === "" ? [] : [previous])],
  });
}

function providerOf(item: OidcIssuerItem, values: ConfigValues): SignInProvider {
  const issuer = issuerOf(item);
  const way = { name: item.name, title: item.title };
  const { client_id: clientId = "", scopes, end_session: endSession } = item;
  return {
    provider: new Provider({ issuer, way, clientId, clientSecret: secretOf(item), scopes, endSession }),
    rules: {
      issuer,
      way,
      createUsers: item.create_users,
      externalIdClaim: item.external_id_claim,
      isBare: item.bare_external_id,
      // Ids of LDAP stand after its name, too.
      issuerNames: [...values["authorizer.oidc.issuers"].map(({ name }) => name), LDAP, REMOTE],
      requiredClaims: values["auth.oidc.validate_id_token_claims"] ?? new Map(),
      defaultInitialGroups: values["auth.oidc.default_initial_groups"],
      initialGroupsClaims: values["auth.oidc.initial_groups_claim_name"],
      friendlyNameClaims: values["auth.oidc.friendly_name_claim_name"] ?? [],
      storesFriendlyName: values["auth.oidc.persist_friendly_name"] === "true",
    },
  };
}

/** @throws ConfigError where the file of the secret cannot be read */
function secretOf({
  name,
  client_secret: secret,
  client_secret_file: file,
}: OidcIssuerItem): string | undefined {
  if (file === undefined) return secret;
  const read = readSecretFile(file);
  const fault = "fault" in read ? read.fault : "the first line of the file is empty";
  if ("secret" in read && read.secret !== "") return read.secret;
  throw new ConfigError([
    problemOf("authorizer.oidc.issuers", `${JSON.stringify(name)}: ${fault}`, { file }),
  ]);
}
