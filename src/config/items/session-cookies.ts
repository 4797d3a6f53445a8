/** Configuration items that this service shares with the data server: its session cookies (spec/sign-in §5). */
import type { ConfigItem } from "../item.ts";

/** Session cookies. */
export const SESSION_COOKIE_ITEMS = [
  {
    name: "auth.ui_config.login_cookie_names",
    type: "strings",
    default: ["internal_auth_session"],
    acts: "in part: internal_auth_session always counts in forward-auth; oidc_auth_session and saml_auth_session count where they are named",
    meaning: "Names of the data server's login cookies",
  },
  {
    name: "auth.oidc.validate_id_token_claims",
    type: "map",
    default: null,
    acts: "yes",
    meaning: "Claims and values the ID token must contain, at sign-in and in oidc_auth_session",
  },
  {
    name: "auth.oidc.default_initial_groups",
    type: "strings",
    default: [],
    acts: "yes",
    meaning: "Groups given to new users",
  },
  {
    name: "auth.oidc.initial_groups_claim_name",
    type: "strings",
    default: [],
    acts: "yes",
    meaning: "Claim naming initial groups, within assert_groups; overrides the default groups",
  },
  {
    name: "auth.oidc.friendly_name_claim_name",
    type: "strings",
    default: null,
    acts: "yes",
    meaning: "Claim used as display name",
  },
  {
    name: "auth.oidc.persist_friendly_name",
    type: "choice",
    choices: ["true", "false"],
    default: "false",
    acts: "yes",
    meaning: "Store the display name",
  },
  {
    name: "auth.cookie_auth_verification.validate_id_token_claims",
    type: "map",
    default: null,
    acts: "in part: for saml_auth_session in forward-auth",
    meaning: "Claims and values the ID token must contain",
  },
  {
    name: "auth.cookie_auth_verification.external_user_id_claim_name",
    type: "string",
    default: null,
    acts: "in part: for saml_auth_session in forward-auth, where no such session counts without it",
    meaning: "Claim used as user id",
  },
] as const satisfies readonly ConfigItem[];
