/** The settings of the caches of users and of identities. */

import type { ConfigValues } from "./table.ts";

/** `auth.cache.*`. */
export function cacheSettings(values: ConfigValues) {
  return {
    enabled: values["auth.cache.enabled"],
    size: values["auth.cache.size"],
    ttl: values["auth.cache.ttl"],
    jitter: values["auth.cache.jitter"],
  };
}
