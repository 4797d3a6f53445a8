/** The result of comparing what documents said last time, what they say now, and what is there (spec/management-cli §10). */

import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import type { BatchOperation } from "../../directory/batch.ts";

/** The kind of a thing that documents apply. */
type AppliedKind = "user" | "group" | "policy" | "membership" | "attachment";

/** Some fields of an entity. */
export type Members = Readonly<Record<string, unknown>>;

/** One difference. Never holds a secret. */
export interface AppliedChange {
  /** `keep`: the documents said it last time and no longer do, and nothing removes it without `prune`. */
  readonly action: "add" | "change" | "remove" | "keep";
  readonly kind: AppliedKind;
  /** `alice`, `alice in Developers`, `OwnThings to user alice`. */
  readonly name: string;
  /** The fields that differ, sorted. */
  readonly fields?: readonly string[];
  /** The differing fields of what is there. */
  readonly before?: Members;
  /** The differing fields of what the documents say; all fields of what is added. */
  readonly after?: Members;
  /** Policies that a new membership gives to the user. */
  readonly policies?: readonly string[];
  /** In place of them where all memberships together give too many to be named: their number. */
  readonly policyCount?: number;
  /** True if somebody else changed it since the last application. */
  readonly drifted: boolean;
  /** Place in the documents (`/documents/0/users/3`); undefined for what they do not name. */
  readonly at: string | undefined;
  /** The operation that makes the change; undefined for "keep". */
  readonly operation: BatchOperation | undefined;
}

/**
 * An entity of which something else than last time is said, and relations of it that are there and were not said so far.
 * That changes nothing now, but decides what a later application removes, and whose the entity is.
 */
export interface Claim {
  readonly kind: "user" | "group" | "policy";
  readonly name: string;
  /** Groups of a user that it is in already. */
  readonly groups: readonly string[];
  /** Policies of a user or group that are attached already. */
  readonly policies: readonly string[];
  /** Place in the documents; undefined for what they no longer name. */
  readonly at: string | undefined;
}

/** The policies of the directory after the plan. */
export interface PoliciesAfter {
  policy(name: string): NamedStatements | undefined;
  /** Policies that are attached to a group. */
  ofGroup(name: string): readonly NamedStatements[];
  /** Policies that a user has, directly or through groups. */
  ofUser(username: string): readonly NamedStatements[];
  /** Members of a group. */
  members(group: string): Promise<ReadonlySet<string>>;
}

/** The difference, and the operations that take it away. */
export interface AppliedPlan {
  /** In the order of the operations. */
  readonly changes: readonly AppliedChange[];
  readonly operations: readonly BatchOperation[];
  /** Not of what {@link changes} make. */
  readonly claims: readonly Claim[];
  readonly after: PoliciesAfter;
  /** True if more than half of what the manager's documents said last time is removed. */
  readonly removesMost: boolean;
}
