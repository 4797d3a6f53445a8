/** Opens the catalog: policy data is read once per process and then converted to the partition. */

import type { Catalog } from "./catalog.ts";
import { checkPartition, policyInPartition, typeInPartition } from "./partition.ts";
import { type PolicyFiles, policyDataError, readPolicyFiles } from "./policy-files.ts";
import { type PolicyData, policyDataProblems, readPolicyData } from "./read-catalog.ts";
import { tableInPartition } from "./read-endpoints.ts";

/** Options of {@link openCatalog}. */
interface CatalogOptions {
  /** Product-name part of ARNs (`authorizer.partition`). */
  readonly partition: string;
  /** Folder of the policy data, with a final slash; by default the one that ships. */
  readonly directory?: URL;
}

const SHOWN_DIGITS = 12;
/** The path is the same from `packages/policy/src/catalog/` and from `dist/src/catalog/`. */
const SHIPPED = new URL("../../../../policies/", import.meta.url);

interface Loaded {
  readonly files: PolicyFiles;
  readonly data: PolicyData;
}

/** The shipped data cannot change while a process runs, and a test opens many services. */
let shipped: Promise<Loaded> | undefined;

async function load(directory: URL): Promise<Loaded> {
  const files = await readPolicyFiles(directory);
  const data = readPolicyData(files);
  const problems = policyDataProblems(files, data);
  if (problems.length > 0) throw policyDataError(directory, problems);
  return { files, data };
}

function loadShipped(): Promise<Loaded> {
  shipped ??= load(SHIPPED).catch((error: unknown) => {
    shipped = undefined;
    throw error;
  });
  return shipped;
}

/**
 * Opens the policy data in a partition.
 * @throws AuthorizerError("invalid_request") if a file is missing, differs from the manifest, or is malformed (each
 * problem names its file), and for a partition that cannot stand in an ARN
 */
export async function openCatalog({ partition, directory }: CatalogOptions): Promise<Catalog> {
  checkPartition(partition);
  const { files, data } = await (directory === undefined ? loadShipped() : load(directory));
  const types = [...data.resourceTypes].map(
    ([name, type]) => [name, typeInPartition(type, partition)] as const,
  );
  const templates = [...data.templates].map(
    ([id, template]) => [id, { ...template, policy: policyInPartition(template.policy, partition) }] as const,
  );
  const endpoints = data.endpoints.map((table) => [table.api, tableInPartition(table, partition)] as const);
  return {
    partition,
    version: files.manifest.version,
    digest: files.manifest.digest.slice(0, SHOWN_DIGITS),
    actions: data.actions,
    services: data.services,
    resourceTypes: new Map(types),
    preconfigured: {
      policies: data.policies.map((policy) => policyInPartition(policy, partition)),
      groups: data.groups,
    },
    templates: new Map(templates),
    endpoints: new Map(endpoints),
    schema: files.schema,
  };
}
