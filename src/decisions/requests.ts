/** Decisions about whole requests of a data server: the contract of `requesting.ts` (spec/decision-api §3 `/request`). */

import type { DecisionContext, Effect, RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Api, MatchedRequest, PerItem, WireRequest } from "../request-map/endpoints.ts";
import type { AskingCall } from "./decision-log.ts";
import type { Asserter } from "./subjects/asserted-groups.ts";
import type { SignedGroups, UnknownReason } from "./subjects/unknown-reason.ts";

/** The credential of an authenticated user, for records. */
export interface UsedCredential {
  readonly how: "access_key" | "login_token" | "signature" | "session_cookie" | "oidc_token";
  /** Name of the issuer of an OIDC token. */
  readonly issuer?: string;
  /** The access key. For a login token, the key for which it was issued. */
  readonly access_key_id?: string;
}

/** A row with what holds for it whatever policies say. */
export interface RowRule {
  /** The row, perhaps with more permissions than its table names. */
  readonly match: MatchedRequest;
  /** The reason why nobody may; undefined: policies decide. */
  readonly refused?: string;
  /** The reason why only somebody may who may do everything with repositories. */
  readonly everything?: string;
}

/** Rules about rows. The same match gives the same rule, as an object. */
export type RowRules = (match: MatchedRequest, api: Api) => RowRule;

/** A question about a request. */
export interface RequestCheck {
  /** The user; undefined for an anonymous request, which only rows with `authentication: none` allow. */
  readonly user: string | undefined;
  /** Internal id of the authenticated user. A later user of the same name is another user. */
  readonly userId?: string | undefined;
  /** As for a check. */
  readonly groups?: unknown;
  readonly token?: unknown;
  /** False: the name stands for nobody of the directory. Default true. */
  readonly mayBeUser?: boolean | undefined;
  /** The groups are those of a verified token. */
  readonly signed?: SignedGroups | undefined;
  /** The source of the groups; default the caller. */
  readonly asserter?: Asserter | undefined;
  /** The credential of the user, for the audit log; absent if the caller names the user. */
  readonly credential?: UsedCredential | undefined;
  readonly request: WireRequest;
  /** Rules besides the permission tables; default none. */
  readonly rules?: RowRules | undefined;
  /**
   * True for forward-auth, which decides about every possible item (spec/security §2.4). `/request` tells the caller to
   * filter.
   */
  readonly items: "required" | "told";
  /** The decision about a row that reads an unknown body (`authorizer.forward_auth.body`). */
  readonly missingBody: "deny" | "every_resource";
  readonly context: DecisionContext;
  readonly entrance: "request" | "forward_auth";
  readonly requestId: string;
  /** The call, for the decision log; long work ends when its caller is gone. */
  readonly call?: AskingCall;
}

/** Its answer. */
export interface RequestAnswer {
  readonly operation: string | null;
  readonly allowed: boolean;
  readonly effect: Effect;
  /** The decided tree, with a star for open values; null if nothing is required. */
  readonly required: RequiredPermissions | null;
  readonly message?: string;
  readonly reason?: UnknownReason | "unknown_endpoint" | "unreadable_request" | "unauthenticated";
  readonly perItem?: Pick<PerItem, "over" | "action" | "resource">;
  /** Decision id. */
  readonly id: string;
}
