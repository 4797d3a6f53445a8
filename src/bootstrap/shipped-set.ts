/** The groups and policies that a bootstrap installs, for each of the two modes (spec/authorization-api §9). */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { digestOf } from "@svc-authorizer/policy/catalog/digest.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { ACL_GROUPS, aclPolicyName, aclStatements } from "./acl-policies.ts";

/** `external`: the preconfigured groups and policies. `simplified`: four groups with an access list each. */
export type BootstrapMode = "external" | "simplified";

/** A policy of a set. */
export interface ShippedPolicy {
  readonly name: string;
  readonly statement: readonly Statement[];
  readonly acl?: string;
}

/** A group of a set. */
export interface ShippedGroup {
  readonly name: string;
  readonly description?: string;
  /** Names of policies attached to it. */
  readonly policies: readonly string[];
}

/** Groups and policies with their common digest. */
export interface ShippedSet {
  readonly mode: BootstrapMode;
  /** Version of the policy data, for people. */
  readonly version: string;
  readonly digest: string;
  readonly policies: readonly ShippedPolicy[];
  readonly groups: readonly ShippedGroup[];
}

/** Digest of what a policy grants. The date does not count, and an empty `acl` equals an absent one. */
export function policyDigest({ statement, acl }: Omit<ShippedPolicy, "name">): string {
  const statements = statement.map(({ effect, action, resource, condition }) => ({
    effect,
    action,
    resource,
    ...(condition ? { condition } : {}),
  }));
  return digestOf({ statement: statements, ...(acl ? { acl } : {}) });
}

/** Digest of a group's description and attachments, independent of their order. */
export function groupDigest({ description, policies }: Omit<ShippedGroup, "name">): string {
  return digestOf({ policies: [...policies].sort(), ...(description ? { description } : {}) });
}

function shippedSet(mode: BootstrapMode, version: string, content: Pick<ShippedSet, "policies" | "groups">) {
  const policies = content.policies.map((policy) => [policy.name, policyDigest(policy)]);
  const groups = content.groups.map((group) => [group.name, groupDigest(group)]);
  return { mode, version, digest: digestOf({ mode, policies, groups }), ...content };
}

/**
 * The set of a mode.
 * @param defaultUserGroup `auth.remote_authenticator.default_user_group`, created without policies in mode simplified
 */
export function shippedSetOf(mode: BootstrapMode, catalog: Catalog, defaultUserGroup: string): ShippedSet {
  const { partition, version, preconfigured } = catalog;
  if (mode === "external") {
    return shippedSet(mode, version, {
      // The data server's own set-up stores the empty label (spec/authorization-api §15.9).
      policies: preconfigured.policies.map(({ name, statement }) => ({ name, statement, acl: "" })),
      groups: preconfigured.groups.map(({ name, description, policies }) => ({
        name,
        description,
        policies,
      })),
    });
  }
  const groups: ShippedGroup[] = ACL_GROUPS.map(({ group }) => ({
    name: group,
    policies: [aclPolicyName(group)],
  }));
  if (defaultUserGroup !== "" && !groups.some(({ name }) => name === defaultUserGroup)) {
    groups.push({ name: defaultUserGroup, policies: [] });
  }
  const policies = ACL_GROUPS.map(({ group, acl }) => ({
    name: aclPolicyName(group),
    acl,
    statement: aclStatements(acl, partition),
  }));
  return shippedSet(mode, version, { policies, groups });
}
