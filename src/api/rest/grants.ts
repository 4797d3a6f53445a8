/** Changes of who holds which policies, as both REST APIs describe them before they make them (spec/security §3.5). */

import type { NamedStatements, Via } from "@svc-authorizer/policy/model/policy.ts";
import type { JudgedState } from "../../directory/directory.ts";
import type { Caller, RawCall } from "../../http/route.ts";

/** A call of either API. */
export type RestCall = RawCall<Caller>;

/** A write that gives policies to a user. */
export interface Grant {
  /** For people, with a verb: `attaching policy "X" to user "bob"`. */
  readonly what: string;
  /** The user that the caller could act as by it. */
  readonly actsAs?: string;
  /** Read only where escalation is judged, from the state that the write runs on. */
  readonly policies: (state: JudgedState) => Promise<readonly NamedStatements[]>;
}

/** A write that takes policies away. */
export interface Removal {
  /** For people, with a verb: `detaching policy "X" from user "bob"`. */
  readonly what: string;
  /** True where the write takes a policy from the caller that reaches the caller in this way. */
  readonly takes: (policy: string, via: Via) => boolean;
}

/** The result of a change that was not refused. */
export interface Judged<T> {
  readonly result: T;
  /** Headers that warn where the caller gains or gives more than it holds; else none. */
  readonly warnings: readonly string[];
}

/** Checks changes in the state that they are made on (spec/journal §2.1). */
export interface GrantChecks {
  /** Makes a change that gives policies; throws where it is refused. */
  checkGrant<T>(call: RestCall, grant: Grant, write: () => Promise<T>): Promise<Judged<T>>;
  /** Makes a change that takes policies away; throws where it is refused. */
  checkRemoval<T>(call: RestCall, removal: Removal, write: () => Promise<T>): Promise<Judged<T>>;
}

const NO_WARNINGS: readonly string[] = [];

/** Checks nothing: for callers who are as powerful as administrators. */
export const UNCHECKED: GrantChecks = {
  checkGrant: async (_call, _grant, write) => ({ result: await write(), warnings: NO_WARNINGS }),
  checkRemoval: async (_call, _removal, write) => ({ result: await write(), warnings: NO_WARNINGS }),
};
