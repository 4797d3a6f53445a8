/** Adds the users, groups and policies of documents to a world. Data sets also contain the attachments. */

import { isObject, type PolicyDocument } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import type { PolicyWorld } from "@svc-authorizer/policy/analysis/files/policy-world.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

function entriesOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function propertiesOf(value: unknown): Properties {
  return isObject(value) ? (value as Properties) : {};
}

/** Adds resources with their properties. */
function addResources(world: PolicyWorld, resources: unknown): void {
  for (const { type, id, properties } of entriesOf(resources)) {
    if (typeof type !== "string" || typeof id !== "string") continue;
    world.registered.addResource({ type, id, properties: propertiesOf(properties) });
  }
}

/** The shipped policies and groups. */
export async function addPreconfigured(world: PolicyWorld, partition: string): Promise<void> {
  const { preconfigured, resourceTypes } = await openCatalog({ partition });
  world.registered.addTypes(resourceTypes.values());
  world.addPolicies(preconfigured.policies, "the preconfigured policies");
  for (const { name, policies } of preconfigured.groups) world.addGroup(name, policies);
}

/** Adds the policies of a document, and of a data set its users and groups. */
export async function addDocument(
  world: PolicyWorld,
  { source, policies, resourceTypes }: PolicyDocument,
  partition: string,
): Promise<void> {
  world.addPolicies(policies, source.file);
  const { value } = source;
  if (!isObject(value)) return;
  world.registered.addTypes((await openCatalog({ partition })).resourceTypes.values());
  world.registered.addTypes(resourceTypes);
  addResources(world, value["resources"]);
  if (value["preconfigured"] === true) await addPreconfigured(world, partition);
  for (const group of entriesOf(value["groups"])) {
    if (typeof group["name"] === "string") world.addGroup(group["name"], textsOf(group["policies"]));
  }
  for (const user of entriesOf(value["users"])) {
    if (typeof user["username"] !== "string") continue;
    const held = { groups: textsOf(user["groups"]), policies: textsOf(user["policies"]) };
    world.addUser(user["username"], user["inactive"] === true ? {} : held);
    world.registered.addUser(user["username"], propertiesOf(user["properties"]));
  }
}
