/** Merges the data sets of all files. Each name may be defined once. */

import type {
  DatasetDocument,
  DatasetGroup,
  DatasetPolicy,
  DatasetUser,
} from "@svc-authorizer/policy/model/dataset.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { DocumentSource } from "@svc-authorizer/policy/source-files/source.ts";
import { bulkPause } from "../schedule/bulk-pause.ts";
import type { ProblemList, ProblemSource } from "./problem-list.ts";

/** A place in a file. */
export interface Place {
  readonly source: ProblemSource;
  /** JSON pointer of a value in the file. */
  readonly pointer: string;
}

/** A definition with its place. */
export interface Defined<T> extends Place {
  readonly value: T;
}

/** A file that was validated against the schema. */
export interface CheckedSource {
  readonly source: DocumentSource;
  /** Pointers of invalid entries (`/users/3`). Their names count as defined; the rest is not read. */
  readonly broken: ReadonlySet<string>;
}

/** Definitions of one kind by name. */
export interface Definitions<T> {
  readonly entries: Map<string, Defined<T>>;
  /** Names of invalid definitions, so that a reference to one is not a second problem. */
  readonly brokenNames: Set<string>;
}

/** All data sets of a load as one. */
export interface MergedDataset {
  readonly users: Definitions<DatasetUser>;
  readonly groups: Definitions<DatasetGroup>;
  readonly policies: Definitions<DatasetPolicy>;
  readonly resourceTypes: Definitions<ResourceType>;
  /** By {@link resourceKey}. */
  readonly resources: Definitions<RegisteredResource>;
  preconfigured: boolean;
}

/** A key for a type and an id. Names cannot contain NUL. */
export function resourceKey(resource: { readonly type: string; readonly id: string }): string {
  return `${resource.type}\0${resource.id}`;
}

/** No definitions. */
export function none<T>(): Definitions<T> {
  return { entries: new Map(), brokenNames: new Set() };
}

/** A section of a document. */
interface Section<T> {
  readonly key: keyof DatasetDocument;
  readonly what: string;
  readonly field: string;
  readonly nameOf: (value: T) => string;
  readonly into: Definitions<T>;
}

/** The text that a member of an object is; undefined for anything else. */
export function fieldOf(value: unknown, field: string): string | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return undefined;
  const found: unknown = Reflect.get(value, field);
  return typeof found === "string" ? found : undefined;
}

/** Returns what merges a section of a file. */
function merging<T>(section: Section<T>) {
  return (checked: CheckedSource, problems: ProblemList) => mergeSection(checked, section, problems);
}

async function mergeSection<T>(
  { source, broken }: CheckedSource,
  { key, what, field, nameOf, into }: Section<T>,
  problems: ProblemList,
): Promise<void> {
  const list: unknown = Reflect.get(source.value as object, key);
  if (!Array.isArray(list) || broken.has(`/${key}`)) return;
  const pause = bulkPause();
  for (const [index, item] of list.entries()) {
    await pause();
    const pointer = `/${key}/${index}`;
    if (broken.has(pointer)) {
      const name = fieldOf(item, field);
      if (name !== undefined) into.brokenNames.add(name);
      continue;
    }
    const value = item as T;
    const name = nameOf(value);
    const first = into.entries.get(name);
    if (first === undefined) into.entries.set(name, { value, source, pointer });
    else
      problems.add(
        source,
        `${pointer}/${field}`,
        `this ${what} is also defined at ${placeOf(first, source)}`,
      );
  }
}

/** The place of the first definition: its pointer, and its file if it is another one. */
export function placeOf(first: Place, seenFrom: ProblemSource): string {
  return first.source === seenFrom ? first.pointer : `${first.pointer} of ${first.source.file}`;
}

/** Merges the files. A name that is defined twice is a problem. */
export async function mergeDatasets(
  sources: readonly CheckedSource[],
  problems: ProblemList,
): Promise<MergedDataset> {
  const merged: MergedDataset = {
    users: none(),
    groups: none(),
    policies: none(),
    resourceTypes: none(),
    resources: none(),
    preconfigured: false,
  };
  const { users, groups, policies, resourceTypes, resources } = merged;
  const ofType = (type: ResourceType) => type.type;
  const sections = [
    merging({ key: "users", what: "user", field: "username", nameOf: (user) => user.username, into: users }),
    merging({ key: "groups", what: "group", field: "name", nameOf: (group) => group.name, into: groups }),
    merging({ key: "policies", what: "policy", field: "name", nameOf: ({ name }) => name, into: policies }),
    merging({
      key: "resource_types",
      what: "resource type",
      field: "type",
      nameOf: ofType,
      into: resourceTypes,
    }),
    merging({ key: "resources", what: "resource", field: "id", nameOf: resourceKey, into: resources }),
  ];
  const pause = bulkPause();
  for (const checked of sources) {
    await pause();
    for (const merge of sections) await merge(checked, problems);
    if (fieldIsTrue(checked.source.value, "preconfigured")) merged.preconfigured = true;
  }
  return merged;
}

function fieldIsTrue(value: unknown, field: string): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, field) === true;
}
