/** Decisions about whole requests of a data server: the contract of `requesting.ts` (decision-api.md §3 `/request`). */

import type { DecisionContext, Effect, RequiredPermissions } from "../model/decision.ts";
import type { PerItem, WireRequest } from "../request-map/endpoints.ts";

/** What a user proved to be one with, for records. */
export interface UsedCredential {
  readonly how: "access_key" | "login_token" | "signature";
  /** The key used; of a login token, the one it was issued for. */
  readonly access_key_id?: string;
}

/** A question about a request. */
export interface RequestCheck {
  /** The user; undefined: nobody proved to be one, which only rows with `authentication: none` let through. */
  readonly user: string | undefined;
  /** Internal id of whoever proved to be the user: another user of that name, made meanwhile, is somebody else. */
  readonly userId?: string | undefined;
  /** What the user proved it with, for the audit log; absent where the caller's word is taken. */
  readonly credential?: UsedCredential;
  readonly request: WireRequest;
  /** Forward-auth decides on every item that could come (security.md §2.4); `/request` tells the caller to filter. */
  readonly items: "required" | "told";
  /** What to do where a row reads a body that is not at hand (`authorizer.forward_auth.body`). */
  readonly missingBody: "deny" | "every_resource";
  readonly context: DecisionContext;
  readonly entrance: "request" | "forward_auth";
  readonly requestId: string;
}

/** Its answer. */
export interface RequestAnswer {
  readonly operation: string | null;
  readonly allowed: boolean;
  readonly effect: Effect;
  /** The tree that was decided, with a star for what a set leaves open; null where nothing is needed. */
  readonly required: RequiredPermissions | null;
  readonly message?: string;
  readonly reason?: "unknown_user" | "unknown_endpoint" | "unreadable_request" | "unauthenticated";
  readonly perItem?: Pick<PerItem, "over" | "action" | "resource">;
  /** Decision id. */
  readonly id: string;
}
