/**
 * `/logout`: the address to which the web page of a data server with one key sends a browser (spec/exchange §9). It ends the
 * login token of the cookie, and leads back to the page.
 */

import type { Described } from "../../../http/openapi/document.ts";
import type { HttpCounters } from "../../../http/ports.ts";
import type { TrustedProxies } from "../../../http/request/client-address.ts";
import { type MountedRoute, mount, OPEN_API, type RawCall, type Reply } from "../../../http/route.ts";
import type { Identities } from "../../../identity/identity.ts";
import { NO_STORE_HEADER } from "../../rest/declared.ts";
import { NO_STORE } from "../../rest/operation.ts";
import type { AuditEvents } from "../../rest/ports.ts";
import { auditingUnknown } from "../../rest/unknown-outcome.ts";
import { isFromOtherHost } from "./cross-site.ts";
import {
  AuthenticationFailed,
  authenticate,
  endedSessionCookie,
  isSecure,
  loginCookie,
  type Proof,
  proofOf,
} from "./proof.ts";

/** Parts of the route. */
interface LogoutParts {
  /** True where a data server's web page is served with these answers. */
  readonly dataServerPage: boolean;
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  readonly cookieDomain: string;
  readonly audit: AuditEvents;
}

/** The path, which the page is told. */
export const LOGOUT_PATH = "/logout";
const LOGIN_PAGE = "/auth/login";

/** The route, as the OpenAPI document describes it. */
export const LOGOUT_OPERATION: Described & { readonly access: "open" } = {
  access: "open",
  method: "GET",
  path: LOGOUT_PATH,
  id: "leaveDataServerPage",
  tag: "sessions",
  summary: "Sign out of the web page of a data server with one key",
  description:
    "Ends the login token of the cookie, and leads to the page's log-in. A browser that another site sends here stays signed in. Served with an exchange alone.",
  answer: {
    status: 303,
    description: "Leads to the log-in, or to `/` from another site.",
    headers: {
      ...NO_STORE_HEADER,
      Location: { description: "`/auth/login` or `/`.", schema: { type: "string" } },
    },
  },
};

/** Mounts the route; none where no data server's page needs it. */
export function logoutRoutes(parts: LogoutParts, counters: HttpCounters): readonly MountedRoute[] {
  if (!parts.dataServerPage) return [];
  const route = { method: "GET", path: LOGOUT_PATH, priority: "bulk" } as const;
  return mount(OPEN_API, [{ ...route, handle: (call) => logout(parts, call) }], counters);
}

async function logout(parts: LogoutParts, call: RawCall): Promise<Reply> {
  const { request, requestId: request_id } = call;
  const { identities, proxies, cookieDomain: domain, audit } = parts;
  // Another site may lead here; it must not end a session. Browsers send the cookie for a page of a sibling host.
  if (isFromOtherHost(request)) {
    return { status: 303, headers: [...NO_STORE, "Location", "/"] };
  }
  const source_ip = proxies.clientOf(request) ?? "";
  const identity = await tokenOwner(parts, shownProof(request), source_ip);
  if (identity?.expiresAt !== undefined) {
    const { expiresAt, username: actor, how } = identity;
    const event = { actor, how, request_id, source_ip };
    await auditingUnknown(
      () => identities.logout(identity, expiresAt),
      (outcome) => audit.event("logout", { ...event, ...outcome }),
    );
    audit.event("logout", event);
  }
  const cookies = loginCookie("", { secondsLeft: 0, domain, secure: isSecure(request, proxies) });
  return {
    status: 303,
    headers: [...NO_STORE, "Location", LOGIN_PAGE, ...cookies, ...endedSessionCookie(request)],
  };
}

function shownProof(request: RawCall["request"]): Proof | undefined {
  try {
    return proofOf(request);
  } catch (error) {
    if (error instanceof AuthenticationFailed) return undefined;
    throw error;
  }
}

/** The user of a login token; undefined for one that does not hold, and for none. */
async function tokenOwner({ identities }: LogoutParts, proof: Proof | undefined, source: string) {
  if (proof?.kind !== "token") return undefined;
  try {
    return await authenticate(identities, proof, source);
  } catch (error) {
    if (error instanceof AuthenticationFailed) return undefined;
    throw error;
  }
}
