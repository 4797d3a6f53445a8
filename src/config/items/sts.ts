/** The items of the exchange of tokens for access keys that expire. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.sts`. */
export const STS_ITEMS = [
  {
    name: "authorizer.sts.enabled",
    type: "bool",
    default: false,
    acts: "yes",
    meaning:
      "AssumeRoleWithWebIdentity at /sts of the user listener: tokens of authorizer.oidc.issuers for access keys that expire",
  },
  {
    name: "authorizer.sts.users",
    type: "web_users",
    default: [],
    acts: "yes",
    meaning:
      "Users that tokens stand for, at /sts and at /oauth2/token, beside those of issuers with directory_users: list of {issuer, claims, user}; the claims must be exactly so",
  },
] as const satisfies readonly ConfigItem[];
