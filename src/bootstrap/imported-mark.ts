/** The mark of an imported store. The store counts as set up, and upgrades update unchanged shipped policies. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { BatchOperation, BatchOptions } from "../directory/batch.ts";
import { BOOTSTRAP_MARK, storedMark } from "./bootstrap-mark.ts";
import { groupDigest, policyDigest, type ShippedPolicy, shippedSetOf } from "./shipped-set.ts";

/** The imported content. */
interface ImportedContent {
  readonly policies: readonly ShippedPolicy[];
  readonly groups: readonly { readonly name: string; readonly description?: string }[];
  /** Operations that include the attachments. */
  readonly links: readonly BatchOperation[];
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
