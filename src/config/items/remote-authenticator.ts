/** The items of a server that authenticates people by name and password. */
import type { ConfigItem } from "../item.ts";

/** The section `auth.remote_authenticator`. */
export const REMOTE_AUTHENTICATOR_ITEMS = [
  {
    name: "auth.remote_authenticator.enabled",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "People sign in with names and passwords of a remote server",
  },
  {
    name: "auth.remote_authenticator.endpoint",
    type: "string",
    default: null,
    acts: "yes",
    meaning:
      "Its address (https, or http on this machine), used exactly as it is; the service itself is not asked",
  },
  {
    name: "auth.remote_authenticator.request_timeout",
    type: "duration",
    default: "10s",
    min: "1ms",
    max: "1m",
    acts: "yes",
    meaning: "Longest time of a request to it",
  },
  {
    name: "auth.remote_authenticator.default_user_group",
    type: "string",
    default: "Viewers",
    acts: "yes",
    meaning: "Group that new remote users join; the bootstrap `simplified` creates it",
  },
] as const satisfies readonly ConfigItem[];
