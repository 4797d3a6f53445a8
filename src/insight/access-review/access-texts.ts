/** JSON for the thread that answers questions about access, as bytes and made in slices between other work. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { User } from "@svc-authorizer/policy/model/entities.ts";
import type { DirectoryState, UserState } from "../../directory/batch.ts";
import type { Survey } from "../../directory/directory.ts";
import type { OpenedDirectory } from "../../directory/open-directory.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import { concatInTurns } from "../../schedule/concat-in-turns.ts";
import type { OpenedUsage } from "../../usage/open-usage.ts";
import type { SuggestJob } from "./access-jobs.ts";
import type { ImagedGroup, ImagedPolicy, ImagedUser } from "./directory-image.ts";

/** Characters of a text that is made in one go. */
const PER_TEXT = 64 * 1_024;

/** A `SuggestSubject` as JSON: of the directory it reads one user, or one group with the names of its members. */
export function subjectText(
  directory: OpenedDirectory,
  { user, group = "" }: Pick<SuggestJob, "user" | "group">,
): Promise<Uint8Array> {
  return directory.survey(async (survey) => {
    const principal =
      user === undefined ? await survey.principalOfGroups([group]) : await survey.principal(user);
    const pieces = [
      `{"revision":${survey.revision},"created":${await createdOf(directory, user, group)},"members":`,
    ];
    const members = user === undefined ? await membersOf(survey, group) : [];
    await addList(pieces, members, ({ username, creation_date }) => [username, creation_date]);
    pieces.push(',"held":');
    await addList(pieces, principal?.policies ?? [], ({ name, statement, via }) => ({
      name,
      statement,
      via,
    }));
    pieces.push("}");
    return bytesOf(pieces);
  }, bulkPause());
}

/** Unix seconds at which the user, or the group, was made; 0 where there is none. */
async function createdOf(
  { users, groups }: Pick<OpenedDirectory, "users" | "groups">,
  user: string | undefined,
  group: string,
): Promise<number> {
  try {
    return (user === undefined ? await groups.get(group) : await users.get(user)).creation_date;
  } catch (error) {
    if (isErrorCode(error, "not_found")) return 0;
    throw error;
  }
}

async function membersOf(survey: Survey, group: string) {
  const members: User[] = [];
  for await (const page of (await survey.members(group)) ?? []) members.push(...page);
  return members;
}

/** A `DirectoryImage` as JSON, made in slices. */
export async function imageText(directory: OpenedDirectory): Promise<Uint8Array> {
  const { revision } = directory.history.head;
  const state = await directory.history.state(revision, { secrets: false });
  const pieces = [`{"revision":${revision},"users":`];
  await addList(pieces, state.users.entries(), ([name, user]) => imagedUser(name, user));
  pieces.push(',"groups":');
  await addList(pieces, state.groups.entries(), ([name, { group, policies }]): ImagedGroup => {
    return { name, created: group.value.creation_date, policies: [...policies.keys()] };
  });
  pieces.push(',"policies":');
  await addList(pieces, state.policies.entries(), imagedPolicy);
  pieces.push("}");
  return bytesOf(pieces);
}

function imagedUser(name: string, { user, groups, policies, credentials }: UserState): ImagedUser {
  // Who is inactive may do nothing.
  const isActive = user.value.inactive !== true;
  return {
    name,
    created: user.value.creation_date ?? 0,
    groups: isActive ? [...groups.keys()] : [],
    policies: isActive ? [...policies.keys()] : [],
    keys: [...credentials].map(([id, { value }]) => ({ id, created: value.creation_date })),
  };
}

type PolicyEntry = DirectoryState["policies"] extends ReadonlyMap<infer K, infer V> ? readonly [K, V] : never;

function imagedPolicy([name, { value }]: PolicyEntry): ImagedPolicy {
  const { accept, statement } = value;
  return { name, ...(accept !== undefined && { accept }), statement };
}

/** A `KnownUse` as JSON. */
export async function useText(usage: OpenedUsage): Promise<Uint8Array> {
  const known = { nodes: usage.nodes(), countedSince: usage.countedSince(), doubts: usage.doubts() };
  const pieces = [`${JSON.stringify(known).slice(0, -1)},"rows":[`];
  let isFirst = true;
  for await (const rows of usage.all()) {
    pieces.push(`${isFirst ? "" : ","}${JSON.stringify(rows).slice(1, -1)}`);
    isFirst = false;
  }
  pieces.push("]}");
  return bytesOf(pieces);
}

async function addList<T>(pieces: string[], items: Iterable<T>, shape: (item: T) => unknown): Promise<void> {
  const pause = bulkPause();
  pieces.push("[");
  let text = "";
  let separator = "";
  for (const item of items) {
    text += separator + JSON.stringify(shape(item));
    separator = ",";
    if (text.length < PER_TEXT) continue;
    pieces.push(text);
    text = "";
    await pause();
  }
  pieces.push(text, "]");
}

async function bytesOf(texts: readonly string[]): Promise<Uint8Array> {
  const pause = bulkPause();
  const pieces: Buffer[] = [];
  for (const text of texts) {
    pieces.push(Buffer.from(text));
    await pause();
  }
  return concatInTurns(pieces);
}
