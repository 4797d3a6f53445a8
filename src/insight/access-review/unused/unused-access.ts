/** The form of a question about access that is not used, of its answer, and of what answers it (spec/decision-log §5.2). */

import type { StatementName } from "@svc-authorizer/policy/model/decision.ts";
import type { Acceptance, NamedStatements, Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { UsageRow } from "../../../usage/usage-rows.ts";

/** Kinds in the order in which an answer has them. */
export const UNUSED_KINDS = ["user", "key", "group", "policy", "statement", "actions"] as const;

/** A kind of entries. */
export type UnusedKind = (typeof UNUSED_KINDS)[number];

/** The question for a page. */
export interface UnusedQuestion {
  /** Unix milliseconds: used since then is used. */
  readonly since: number;
  /** Only entries of this kind. */
  readonly kind?: UnusedKind | undefined;
  /** The `next` of the page before; "" for the first page. */
  readonly after: string;
  /** Most entries. */
  readonly amount: number;
}

/** Unix seconds of the last use; absent where none is known. */
interface LastUse {
  readonly last_used?: number;
}

/** The findings of lint that the policy accepts, of a statement those that concern it; absent where there are none. */
interface Accepting {
  readonly accept?: readonly Acceptance[];
}

/** A policy with the findings that it accepts. */
export type ReviewedPolicy = NamedStatements & Pick<Policy, "accept">;

/** Something that nobody used. */
export type UnusedEntry =
  | ({ readonly kind: "user"; readonly id: string; readonly creation_date: number } & LastUse)
  | ({
      readonly kind: "key";
      readonly access_key_id: string;
      readonly user: string;
      readonly creation_date: number;
    } & LastUse)
  | ({
      readonly kind: "group";
      readonly id: string;
      readonly creation_date: number;
      readonly members: number;
    } & LastUse)
  /** `attached`: users and groups that it is attached to. */
  | ({ readonly kind: "policy"; readonly id: string; readonly attached: number } & Accepting & LastUse)
  /** A statement of a policy of which others were used. */
  | ({ readonly kind: "statement"; readonly effect: string } & StatementName & Accepting & LastUse)
  /** Actions that a used statement allows and that nobody used. */
  | ({ readonly kind: "actions"; readonly unused: readonly string[] } & StatementName & Accepting);

/** A page. */
export interface UnusedPage {
  /** In the order of kinds, and of names in UTF-8 byte order. */
  readonly entries: readonly UnusedEntry[];
  /** The `after` of the next page; "" on the last one. */
  readonly next: string;
}

/** A part of everything of a kind: `upTo` is the last name that was looked at, undefined at the end. */
export interface Part<T> {
  readonly items: readonly T[];
  readonly upTo: string | undefined;
}

/** At most `limit` after a name, "" for the beginning. */
export interface PartRange {
  readonly after: string;
  readonly limit: number;
}

/** Port: one state of the directory and the use of what it has, read by parts. */
export interface AccessInUse {
  userPart(range: PartRange): Promise<Part<{ readonly username: string; readonly creation_date: number }>>;
  keyPart(range: PartRange): Promise<
    Part<{
      readonly access_key_id: string;
      readonly creation_date: number;
      readonly username: string;
    }>
  >;
  groupPart(range: PartRange): Promise<Part<{ readonly name: string; readonly creation_date: number }>>;
  policyPart(range: PartRange): Promise<Part<ReviewedPolicy>>;
  /** A policy by name. */
  policy(name: string): Promise<ReviewedPolicy | undefined>;
  /** The members of a group, in pages; undefined if there is no such group. */
  members(group: string): Promise<AsyncIterable<readonly unknown[]> | undefined>;
  /** The numbers of users and groups that a policy is attached to, in pages. */
  attachments(policy: string): AsyncIterable<number>;
  /** The counts of things with these names, summed over all nodes. */
  usageOf(kind: "user" | "key" | "group", names: readonly string[]): Promise<readonly UsageRow[]>;
  /** The same of the statements of a policy, in pages: it may be that of many actions for each. */
  usageOfPolicy(name: string): AsyncIterable<readonly UsageRow[]>;
  /** Names of all actions that a pattern can stand for. */
  readonly actions: readonly string[];
  /** A promise to await before going on with long work; undefined while its turn lasts. */
  pause(): Promise<void> | undefined;
}
