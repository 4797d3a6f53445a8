/** The mark of an imported store. The store counts as set up, and upgrades update unchanged shipped policies. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { BatchOptions } from "../directory/batch.ts";
import { BOOTSTRAP_MARK, storedMark } from "./bootstrap-mark.ts";
import { groupDigest, policyDigest, type ShippedPolicy, shippedSetOf } from "./shipped-set.ts";

/** The imported content. */
interface ImportedContent {
  readonly policies: Iterable<ShippedPolicy>;
  readonly groups: Iterable<{ readonly name: string; readonly description?: string }>;
  /** Names of the policies of groups, by the group. */
  readonly attached: ReadonlyMap<string, readonly string[]>;
}

/** Configuration items that control a bootstrap. */
interface BootstrapItems {
  readonly "authorizer.bootstrap": string | undefined;
  readonly "auth.remote_authenticator.default_user_group": string;
}

/**
 * The mark that an import stores. Because of it, a later start with `authorizer.bootstrap` creates no administrator and
 * restores nothing that the source does not have.
 */
export function importedMark(
  catalog: Catalog,
  items: BootstrapItems,
  { policies, groups, attached }: ImportedContent,
): NonNullable<BatchOptions["mark"]> {
  const mode = items["authorizer.bootstrap"] === "simplified" ? "simplified" : "external";
  const set = shippedSetOf(mode, catalog, items["auth.remote_authenticator.default_user_group"]);
  const digests = new Map<string, string>();
  for (const policy of policies) digests.set(policy.name, policyDigest(policy));
  const groupDigests = new Map<string, string>();
  for (const group of groups)
    groupDigests.set(group.name, groupDigest({ ...group, policies: attached.get(group.name) ?? [] }));
  const asShipped = (wanted: string, found: string | undefined): string | null =>
    found === wanted ? wanted : null;
  return {
    name: BOOTSTRAP_MARK,
    value: storedMark(
      set,
      new Map(
        set.policies.map((policy) => [
          policy.name,
          asShipped(policyDigest(policy), digests.get(policy.name)),
        ]),
      ),
      new Map(
        set.groups.map((group) => [group.name, asShipped(groupDigest(group), groupDigests.get(group.name))]),
      ),
    ),
  };
}
