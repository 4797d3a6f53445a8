/** Registered resources and declared resource types. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { Store } from "../../store/port.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Resources } from "../directory.ts";
import { EMPTY_PAGE, rangeOf, readPage } from "../read/pages.ts";
import type { Reader } from "../read/reader.ts";
import { type ResourceRecord, type ResourceTypeRecord, resourceKey } from "../records/layout.ts";

/** Longest wait for listeners, in milliseconds: where a state was replaced by an older one, they never hear of it. */
const TOLD_MS = 1_000;

/** Returns once listeners to changes have heard of a state that was read. */
async function told(store: Store, revision: number): Promise<void> {
  if (store.history.head.revision >= revision) return;
  store.follow?.();
  const end = performance.now() + TOLD_MS;
  while (store.history.head.revision < revision && performance.now() < end) await nextTurn();
}

/** A resource type without the marks of its record. */
export function toResourceType({ type, arn, id, actions }: ResourceTypeRecord): ResourceType {
  return { type, arn, id, actions };
}

/** A registered resource without the marks of its record. */
export function toResource(id: string, { type, properties }: ResourceRecord): RegisteredResource {
  return { type, id, ...(properties !== undefined && { properties }) };
}

/** The first of some names that is registered in a state. */
export async function firstRegistered(
  reader: Reader,
  named: Parameters<Resources["firstOf"]>[0],
): Promise<RegisteredResource | undefined> {
  for (const { type, id } of named) {
    if (!isPossibleName(type) || !isPossibleName(id)) continue;
    const record = await reader.get("resource", resourceKey(type, id));
    if (record !== undefined) return toResource(id, record);
  }
  return undefined;
}

/** Reads one state of which listeners have heard once the promise resolves. */
async function readTold<T>(context: DirectoryContext, work: (reader: Reader) => Promise<T>): Promise<T> {
  let revision = 0;
  const found = await read(context, (reader) => {
    revision = reader.revision;
    return work(reader);
  });
  await told(context.store, revision);
  return found;
}

/** The use cases on resources of a directory. */
export function createResources(context: DirectoryContext): Resources {
  return {
    types: () =>
      read(context, async (reader) => {
        const types: ResourceType[] = [];
        for await (const page of reader.scanAll("resource_type")) {
          types.push(...page.map(({ record }) => toResourceType(record)));
        }
        return types;
      }),

    firstOf: (named) => readTold(context, (reader) => firstRegistered(reader, named)),

    async list(type, page) {
      const range = rangeOf(page);
      if (range === undefined || !isPossibleName(type)) return EMPTY_PAGE;
      return readTold(context, (reader) =>
        readPage(reader, range, {
          partition: "resource",
          base: resourceKey(type, ""),
          items: (found, names) => found.map(({ record }, index) => toResource(names[index]!, record)),
        }),
      );
    },
  };
}
