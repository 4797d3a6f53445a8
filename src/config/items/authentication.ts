/** The items of identities of clouds, and of the authentication API for a data server. */
import type { ConfigItem } from "../item.ts";

/** The sections `authorizer.aws_iam` and `authorizer.authentication_api`. */
export const AUTHENTICATION_ITEMS = [
  {
    name: "authorizer.aws_iam.enabled",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "Programs sign in with AWS IAM roles that are external principals of users",
  },
  {
    name: "authorizer.aws_iam.server_id",
    type: "string",
    default: null,
    acts: "yes",
    meaning:
      "What identities must have been signed for: the host name that clients are configured with (needed with authorizer.aws_iam.enabled)",
  },
  {
    name: "authorizer.aws_iam.sts_hosts",
    type: "strings",
    default: ["sts.amazonaws.com", "sts.<region>.amazonaws.com"],
    acts: "yes",
    meaning:
      "Hosts of AWS's security token service that are asked who signed; <region> stands for the region that was signed",
  },
  {
    name: "authorizer.aws_iam.max_age",
    type: "duration",
    default: "15m",
    min: "1s",
    max: "1h",
    acts: "yes",
    meaning: "Longest time from the signature of an identity to its use",
  },
  {
    name: "auth.authentication_api.endpoint",
    type: "string",
    default: "",
    acts: "in part: for external principals, where auth.authentication_api.external_principals_enabled is true",
    meaning: "Address of another authentication service (https, or http on this machine)",
  },
  {
    name: "auth.authentication_api.external_principals_enabled",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "Identities of programs that this service cannot verify itself are asked there",
  },
  {
    name: "authorizer.authentication_api.enabled",
    type: "bool",
    default: false,
    acts: "yes",
    meaning:
      "The authentication API for a data server (its auth.authentication_api.endpoint): /authentication/v1 of the service listener",
  },
  {
    name: "authorizer.authentication_api.trusted_servers",
    type: "strings",
    default: [],
    check: "peers",
    acts: "yes",
    meaning: "Addresses of the data servers that the authentication API answers; they send no credential",
  },
  {
    name: "authorizer.authentication_api.sts_issuer",
    type: "string",
    default: null,
    acts: "yes",
    meaning:
      "Name of the issuer of authorizer.oidc.issuers, with sign_in, whose codes the data server's sts/login exchanges; unset: none",
  },
  {
    name: "authorizer.authentication_api.sts_redirect_uris",
    type: "strings",
    default: [],
    acts: "yes",
    meaning: "The redirect URIs that clients of sts/login use, exactly as the provider knows them",
  },
] as const satisfies readonly ConfigItem[];
