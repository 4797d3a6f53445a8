/** The authentication API for a data server, and identities of AWS, as the configuration has them. */

import type { AuthenticationOptions } from "../../api/authentication/authentication-routes.ts";
import { limitsOf } from "../../config/limits.ts";
import { principalEndpoint } from "../../config/values/remote-endpoint.ts";
import { TrustedProxies } from "../../http/request/client-address.ts";
import { AwsIdentities } from "../../identity/aws-iam/aws-identities.ts";
import type { AuditEvents } from "../../observe/log/audit-port.ts";
import type { PasswordSignIn } from "../../sign-in/password-sign-in.ts";
import { PrincipalFinder } from "../../sign-in/principal-finder.ts";
import type { SignIn } from "../../sign-in/sign-in.ts";
import type { DataParts } from "../data.ts";
import { assertPackages } from "../needed-packages.ts";

/** Identities of AWS IAM; undefined where they are off. */
function awsIdentities({ values, directory }: DataParts): AwsIdentities | undefined {
  const serverId = values["authorizer.aws_iam.server_id"];
  if (!values["authorizer.aws_iam.enabled"] || serverId === undefined) return undefined;
  assertPackages(values, "authorizer.aws_iam.enabled");
  return new AwsIdentities({
    directory,
    serverId,
    stsHosts: values["authorizer.aws_iam.sts_hosts"],
    maxAge: values["authorizer.aws_iam.max_age"],
  });
}

/** External principals, of which both listeners use the same, with one bound; undefined where nobody tells them. */
export function principalFinder(data: DataParts): PrincipalFinder | undefined {
  const aws = awsIdentities(data);
  const endpoint = principalEndpoint(data.values);
  if (aws === undefined && endpoint === undefined) return undefined;
  const onFault = (cause: unknown) =>
    data.logger.warn("the authentication API cannot be asked", { reason: String((cause as Error).name) });
  return new PrincipalFinder({ aws, endpoint, onFault });
}

/** The ways by which the API knows people and programs. */
interface AuthenticationParts {
  readonly principals: PrincipalFinder | undefined;
  readonly signIn: SignIn | undefined;
  readonly passwordSignIn: PasswordSignIn | undefined;
}

/** The options of the API; undefined where it is off. */
export function authenticationOptions(
  { values }: DataParts,
  { principals, signIn, passwordSignIn }: AuthenticationParts,
  audit: AuditEvents,
): AuthenticationOptions | undefined {
  if (!values["authorizer.authentication_api.enabled"]) return undefined;
  const issuer = values["authorizer.authentication_api.sts_issuer"];
  const redirectUris = new Set(values["authorizer.authentication_api.sts_redirect_uris"]);
  return {
    principals,
    passwords: passwordSignIn,
    codes: issuer === undefined || signIn === undefined ? undefined : { signIn, issuer, redirectUris },
    trusted: new TrustedProxies(values["authorizer.authentication_api.trusted_servers"]),
    audit,
    limits: limitsOf(values),
  };
}
