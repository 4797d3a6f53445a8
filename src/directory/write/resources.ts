/** Registered resources and declared resource types. */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Resources } from "../directory.ts";
import { EMPTY_PAGE, rangeOf, readPage } from "../read/pages.ts";
import { type ResourceRecord, type ResourceTypeRecord, resourceKey } from "../records/layout.ts";

/** A resource type without the marks of its record. */
export function toResourceType({ type, arn, id, actions }: ResourceTypeRecord): ResourceType {
  return { type, arn, id, actions };
}

/** A registered resource without the marks of its record. */
export function toResource(id: string, { type, properties }: ResourceRecord): RegisteredResource {
  return { type, id, ...(properties !== undefined && { properties }) };
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

    async get(type, id) {
      if (!isPossibleName(type) || !isPossibleName(id)) return undefined;
      const record = await read(context, (reader) => reader.get("resource", resourceKey(type, id)));
      return record && toResource(id, record);
    },

    async list(type, page) {
      const range = rangeOf(page);
      if (range === undefined || !isPossibleName(type)) return EMPTY_PAGE;
      return read(context, (reader) =>
        readPage(reader, range, {
          partition: "resource",
          base: resourceKey(type, ""),
          items: (found, names) => found.map(({ record }, index) => toResource(names[index]!, record)),
        }),
      );
    },
  };
}
