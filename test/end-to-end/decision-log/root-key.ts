/** The access key of the user `root` of a service, for svcctl. */

import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";

const KEY_ID = "AKIAJROOTROOTROOTROQ";
const SECRET = "a-secret-of-root-0123456789";

/** Gives `root` a key; returns the environment in which svcctl uses it. */
export async function withRootKey({ directory, userUrl }: TestAuthorizer) {
  await directory.credentials.create("root", { access_key_id: KEY_ID, secret_access_key: SECRET });
  return {
    SVCCTL_SERVER_ENDPOINT_URL: userUrl,
    SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY_ID,
    SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
  };
}
