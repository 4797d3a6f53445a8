/** Policies and statements as they are stored and evaluated (spec/authorization-api §6). */

/** Condition of a statement: operator → field → values (spec/evaluation §7). */
export type Condition = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** One rule of a policy. `resource` is kept verbatim: an ARN, `*`, or a JSON array of ARNs inside the string. */
export interface Statement {
  /** Name of the statement, for people: decisions do not depend on it. */
  readonly sid?: string;
  readonly effect: string;
  readonly action: readonly string[];
  readonly resource: string;
  readonly condition?: Condition | null;
}

/** The evaluable part of a policy: what the engine compiles. */
export interface NamedStatements {
  readonly name: string;
  readonly statement: readonly Statement[];
}

/** A finding of lint that somebody accepted. Decisions do not depend on it. */
export interface Acceptance {
  /** Name of the rule. */
  readonly rule: string;
  /** Name of the statement; absent: the whole policy. */
  readonly sid?: string;
  readonly reason: string;
}

/** A stored policy. */
export interface Policy extends NamedStatements {
  /** Findings of lint that are accepted; absent where there are none. */
  readonly accept?: readonly Acceptance[];
  /** Unix seconds. */
  readonly creation_date: number;
  /** Label of an ACL policy (`Read`, `Write`, `Super`, `Admin`), verbatim; "" is kept apart from absent. */
  readonly acl?: string;
}

/** The way in which a user has a policy: attached directly, or through a group. */
export type Via = { readonly user: string } | { readonly group: string };

/** A policy that is in force for a user. Distinct by name; direct and group attachments are merged in `via`. */
export interface EffectivePolicy extends Policy {
  /** Internal id, never reused. */
  readonly id: string;
  /** Changes with every write of the policy. */
  readonly version: string;
  readonly via: readonly Via[];
}
