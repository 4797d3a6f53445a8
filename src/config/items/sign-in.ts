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
] as const satisfies readonly ConfigItem[];
