/** The mark of a store that was filled by an import: it counts as set up, and what is as shipped is kept up to date. */

import type { Catalog } from "../catalog/catalog.ts";
import type { BatchOperation, BatchOptions } from "../directory/batch.ts";
import { BOOTSTRAP_MARK, storedMark } from "./bootstrap-mark.ts";
import { groupDigest, policyDigest, type ShippedPolicy, shippedSetOf } from "./shipped-set.ts";

/** What was imported. */
export interface ImportedContent {
  readonly policies: readonly ShippedPolicy[];
  readonly groups: readonly { readonly name: string; readonly description?: string }[];
  /** Attachments among others. */
  readonly links: readonly BatchOperation[];
}

/** Items of the configuration that say what a bootstrap would do. */
export interface BootstrapItems {
  readonly "authorizer.bootstrap": string | undefined;
  readonly "auth.remote_authenticator.default_user_group": string;
}

/**
 * The mark to leave with an import, so that a later start with `authorizer.bootstrap` neither creates an administrator
 * nor brings back what the source does not have.
 */
export function importedMark(
  catalog: Catalog,
  items: BootstrapItems,
  { policies, groups, links }: ImportedContent,
): NonNullable<BatchOptions["mark"]> {
  const mode = items["authorizer.bootstrap"] === "simplified" ? "simplified" : "external";
  const set = shippedSetOf(mode, catalog, items["auth.remote_authenticator.default_user_group"]);
  const digests = new Map(policies.map((policy) => [policy.name, policyDigest(policy)]));
  const attached = Map.groupBy(
    links.flatMap((link) => (link.op === "attach_to_group" && "group" in link ? [link] : [])),
    ({ group }) => group,
  );
  const groupDigests = new Map(
    groups.map((group) => {
      const names = (attached.get(group.name) ?? []).map(({ policy }) => policy);
      return [group.name, groupDigest({ ...group, policies: names })];
    }),
  );
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
