/** Adds the users, groups and policies of documents to a world. Data sets also contain the attachments. */

import { isObject, type PolicyDocument } from "../../../analysis/files/policy-documents.ts";
import type { PolicyWorld } from "../../../analysis/files/policy-world.ts";
import { openCatalog } from "../../../catalog/open-catalog.ts";

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

function entriesOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The shipped policies and groups. */
export async function addPreconfigured(world: PolicyWorld, partition: string): Promise<void> {
  const { preconfigured } = await openCatalog({ partition });
  world.addPolicies(preconfigured.policies, "the preconfigured policies");
  for (const { name, policies } of preconfigured.groups) world.addGroup(name, policies);
}

/** Adds the policies of a document, and of a data set its users and groups. */
export async function addDocument(
  world: PolicyWorld,
  { source, policies }: PolicyDocument,
  partition: string,
): Promise<void> {
  world.addPolicies(policies, source.file);
  const { value } = source;
  if (!isObject(value)) return;
  if (value["preconfigured"] === true) await addPreconfigured(world, partition);
  for (const group of entriesOf(value["groups"])) {
    if (typeof group["name"] === "string") world.addGroup(group["name"], textsOf(group["policies"]));
  }
  for (const user of entriesOf(value["users"])) {
    if (typeof user["username"] !== "string") continue;
    const held = { groups: textsOf(user["groups"]), policies: textsOf(user["policies"]) };
    world.addUser(user["username"], user["inactive"] === true ? {} : held);
  }
}
