/** One state of the directory, looked through. */

import type { Credential } from "@svc-authorizer/policy/model/entities.ts";
import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { Pause } from "../../schedule/pace.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Part, Survey } from "../directory.ts";
import { under } from "../records/layout.ts";
import { toStoredPolicy } from "../records/policy-records.ts";
import { toUser } from "../records/user-records.ts";
import { firstRegistered } from "../write/resources.ts";
import { readHolders } from "./holders.ts";
import { attachmentCounts, groupPart, keyPart, policyPart, userPart } from "./parts.ts";
import { PrincipalReader } from "./principals.ts";
import type { Reader } from "./reader.ts";

const KEYS_PER_PAGE = 1_000;

/** Runs `work` on one state of the store. */
export function survey<T>(
  context: DirectoryContext,
  work: (survey: Survey) => Promise<T>,
  pause: Pause,
): Promise<T> {
  return read(context, (reader) => work(surveyOf(reader, context, pause)));
}

function surveyOf(reader: Reader, { holderLists, now }: DirectoryContext, pause: Pause): Survey {
  const principals = new PrincipalReader(reader, holderLists);
  return {
    revision: reader.revision,
    policies: () => readPolicies(reader, pause),
    async policy(name) {
      const record = isPossibleName(name) ? await reader.get("policy", name) : undefined;
      return record && toStoredPolicy(name, record);
    },
    keys: () => keysOf(reader, now()),
    async members(name) {
      const group = isPossibleName(name) ? await reader.get("group", name) : undefined;
      return group && membersOf(reader, group.id);
    },
    userPart: (range) => userPart(reader, range),
    groupPart: (range) => groupPart(reader, range),
    policyPart: (range) => policyPart(reader, range),
    keyPart: (range) => keyPart(reader, range, now()),
    attachments: (policy) => attachmentCounts(reader, policy),
    holders: (policies, after) => readHolders(reader, policies, after, pause),
    async properties(username) {
      const user = isPossibleName(username) ? await reader.get("user", username) : undefined;
      return user && (user.properties ?? {});
    },
    principal: async (username) => (isPossibleName(username) ? principals.read(username) : undefined),
    principalOfGroups: (names) => principals.readGroups(names.filter(isPossibleName)),
    firstResource: (named) => firstRegistered(reader, named),
  };
}

async function* keysOf(reader: Reader, now: number): AsyncGenerator<readonly Credential[]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const part: Part<Credential> = await keyPart(reader, { after, limit: KEYS_PER_PAGE }, now);
    yield part.items;
    after = part.upTo;
  }
}

async function* membersOf(reader: Reader, groupId: string) {
  const base = under(groupId, "");
  for await (const page of reader.scanAll("group_user", base)) {
    const names = page.map(({ key }) => key.slice(base.length));
    const users = await reader.getMany("user", names);
    yield names.flatMap((username, index) => {
      const user = users[index];
      if (user === undefined || user.id !== page[index]?.record.id) return [];
      return [toUser(username, user)];
    });
  }
}

async function readPolicies(reader: Reader, pause: Pause): Promise<readonly StoredPolicy[]> {
  const policies: StoredPolicy[] = [];
  for await (const page of reader.scanAll("policy")) {
    for (const { key, record } of page) {
      policies.push(toStoredPolicy(key, record));
    }
    await pause();
  }
  return policies;
}
