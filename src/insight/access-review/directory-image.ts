/** One state of the directory as plain values, to be sent to a thread. */

import type { Acceptance, Statement } from "@svc-authorizer/policy/model/policy.ts";

/** A user with all that refers to it. */
export interface ImagedUser {
  readonly name: string;
  /** Unix seconds. */
  readonly created: number;
  readonly groups: readonly string[];
  /** Policies that are attached to the user itself. */
  readonly policies: readonly string[];
  readonly keys: readonly { readonly id: string; readonly created: number }[];
}

/** A group with its policies. */
export interface ImagedGroup {
  readonly name: string;
  readonly created: number;
  readonly policies: readonly string[];
}

/** A policy. */
export interface ImagedPolicy {
  readonly name: string;
  /** Findings of lint that it accepts; absent where there are none. */
  readonly accept?: readonly Acceptance[];
  readonly statement: readonly Statement[];
}

/** Users, groups and policies at a revision. */
export interface DirectoryImage {
  readonly revision: number;
  readonly users: readonly ImagedUser[];
  readonly groups: readonly ImagedGroup[];
  readonly policies: readonly ImagedPolicy[];
}
