/** The stores that the recorded conversations begin with: what their README says, as far as their first lines show it. */

import type { Directory, NewPolicy } from "../../../src/directory/directory.ts";
import type { Recorded } from "./replay.ts";

/** Partition of every ARN in the recordings. */
export const PARTITION = "lakefs";

/** Fills a store as the conversation expects it. */
type Preparation = (directory: Directory, conversation: readonly Recorded[]) => Promise<void>;

interface RecordedPolicies {
  readonly results: readonly NewPolicy[];
}

const GROUP_POLICIES = /^\/api\/v1\/auth\/groups\/(\w+)\/policies\?/;

/** Preconfigured groups and policies as the first lines read them, and an administrator with a known key. */
async function external(directory: Directory, conversation: readonly Recorded[]): Promise<void> {
  const beginning = conversation.slice(0, 20);
  for (const { operation, response_body } of beginning) {
    if (operation === "getPolicy") await directory.policies.create(response_body as NewPolicy);
  }
  for (const { url, response_body } of beginning) {
    const group = GROUP_POLICIES.exec(url)?.[1];
    if (group === undefined) continue;
    await directory.groups.create({ name: group });
    for (const { name } of (response_body as RecordedPolicies).results) {
      await directory.groups.attachPolicy(group, name);
    }
  }
  const key = beginning.find(({ operation }) => operation === "getCredentials")?.response_body;
  const { user_name, access_key_id, secret_access_key } = key as Record<string, string>;
  await directory.users.create({ username: user_name as string, source: "internal" });
  await directory.groups.addMember("Admins", user_name as string);
  await directory.credentials.create(user_name as string, {
    access_key_id: access_key_id as string,
    secret_access_key: secret_access_key as string,
  });
}

/** The group `Admins` with its ACL policy. */
async function simplified(directory: Directory, conversation: readonly Recorded[]): Promise<void> {
  const list = conversation.find(({ operation }) => operation === "listUserPolicies")?.response_body;
  await directory.groups.create({ name: "Admins" });
  for (const policy of (list as RecordedPolicies).results) {
    await directory.policies.create(policy);
    await directory.groups.attachPolicy("Admins", policy.name);
  }
}

const BASES: Readonly<Record<string, Preparation>> = { internal: async () => {}, external, simplified };

/** Names of the conversations. */
export const CONVERSATIONS = Object.keys(BASES);

/** Fills the store that a conversation begins with; some users that it uses at its end were there before. */
export async function prepareStore(
  name: string,
  directory: Directory,
  conversation: readonly Recorded[],
): Promise<void> {
  await BASES[name]?.(directory, conversation);
  const run = /"nobody-(\w+)"|users\/nobody-(\w+)/.exec(JSON.stringify(conversation))?.[2] as string;
  await directory.users.create({ username: `sts-${run}`, source: "oidc", external_id: `oidc|${run} +&` });
  await directory.users.create({ username: `d1-${run}` });
  await directory.groups.create({ name: `dg-${run}` });
}
