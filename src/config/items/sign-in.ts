/** The items of signing in with an identity provider, beside `authorizer.oidc.issuers`. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.sign_in`. */
export const SIGN_IN_ITEMS = [
  {
    name: "authorizer.sign_in.origins",
    type: "strings",
    default: [],
    acts: "yes",
    meaning:
      "Origins at which people sign in with an identity provider, such as https://authz.example.com: browsers come back to /oidc/callback there",
  },
  {
    name: "authorizer.sign_in.order",
    type: "strings",
    default: [],
    acts: "yes",
    meaning:
      "Order of the ways on the sign-in page: names of issuers, password, access_key; those that are not named follow",
  },
  {
    name: "auth.logout_redirect_url",
    type: "string",
    default: null,
    acts: "yes",
    meaning:
      "Where browsers go after the sign-out at the console: a path, or an https URL; unset: the sign-in page",
  },
  {
    name: "auth.ui_config.login_url",
    type: "string",
    default: null,
    acts: "in part: programs that ask for the set-up state read it; the console shows its own sign-in page",
    meaning: "Where people sign in, such as /oidc/login",
  },
] as const satisfies readonly ConfigItem[];
