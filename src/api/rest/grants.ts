/** Changes of who holds which policies, as both REST APIs describe them before they make them (security.md §3.5). */

import type { Caller, RawCall } from "../../http/route.ts";
import type { NamedStatements, Via } from "../../model/policy.ts";

/** A call of either API. */
export type RestCall = RawCall<Caller>;

/** A write that gives policies to a user. */
export interface Grant {
  /** For people, with a verb: `attaching policy "X" to user "bob"`. */
  readonly what: string;
  /** The user that the caller could act as by it. */
  readonly actsAs?: string;
  /** Read only where escalation is judged. */
  readonly policies: () => Promise<readonly NamedStatements[]>;
}

/** A write that takes policies away. */
export interface Removal {
  /** For people, with a verb: `detaching policy "X" from user "bob"`. */
  readonly what: string;
  /** True where the write takes a policy from the caller that reaches the caller in this way. */
  readonly takes: (policy: string, via: Via) => boolean;
}

/** Checks changes before they are made. */
export interface GrantChecks {
  /** Returns headers that warn; throws where the change is refused. */
  checkGrant(call: RestCall, grant: Grant): Promise<readonly string[]>;
  /** As {@link GrantChecks.judge}, and makes the change where it is not refused. */
  remove(call: RestCall, removal: Removal, write: () => Promise<void>): Promise<readonly string[]>;
}

const NO_WARNINGS: readonly string[] = [];

/** Checks nothing: for callers who are as powerful as administrators. */
export const UNCHECKED: GrantChecks = {
  checkGrant: async () => NO_WARNINGS,
  remove: async (_call, _removal, write) => {
    await write();
    return NO_WARNINGS;
  },
};
