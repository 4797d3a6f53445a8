/** The items of forward-auth. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.forward_auth`. */
export const FORWARD_AUTH_ITEMS = [
  {
    name: "authorizer.forward_auth.proxy",
    type: "choice",
    choices: ["off", "nginx", "caddy", "traefik", "envoy"],
    default: "off",
    acts: "yes",
    meaning: "The proxy that asks /forward-auth; names the only headers that are read",
  },
  {
    name: "authorizer.forward_auth.body",
    type: "choice",
    choices: ["deny", "every_resource"],
    default: "every_resource",
    acts: "yes",
    meaning:
      "Operations whose resources are in a body that the proxy does not send: deny them, or require every resource",
  },
  {
    name: "authorizer.forward_auth.preflight",
    type: "choice",
    choices: ["deny", "allow"],
    default: "deny",
    acts: "yes",
    meaning:
      "CORS preflights, which browsers send without a credential: deny them, or let them pass to the data server",
  },
  {
    name: "authorizer.forward_auth.max_failures",
    type: "rate",
    default: "20/m",
    acts: "yes",
    meaning:
      "Failed log-ins of one key and source before further wrong ones count as too many; the right secret is never delayed",
  },
  {
    name: "authorizer.forward_auth.proxy_token",
    type: "string",
    default: null,
    secret: true,
    acts: "yes",
    meaning: "Shared secret the proxy sends as X-Svc-Proxy-Token",
  },
] as const satisfies readonly ConfigItem[];
