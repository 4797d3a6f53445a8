/** A call of the management API. */

import type { Caller, RawCall } from "../../http/route.ts";
import type { Identity } from "../../identity/identity.ts";

/** Whoever calls. */
export interface ManagementCaller extends Caller {
  /** Address of the client, through trusted proxies. */
  readonly sourceIp: string;
}

/** An authenticated user. */
export interface UserCaller extends ManagementCaller {
  readonly identity: Identity;
}

/** A call that may be anonymous. */
export type OpenCall = RawCall<ManagementCaller>;

/** A call by an authenticated user who may make it. */
export type UserCall = RawCall<UserCaller>;
