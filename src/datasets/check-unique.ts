/** Checks texts that belong to one user only: access keys, external principals, external ids. */

import type { DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import type { DirectoryState, Managed, UserState } from "../directory/batch.ts";
import { type Defined, type MergedDataset, placeOf } from "./merge.ts";
import type { DatasetMode } from "./plan.ts";
import type { ProblemList } from "./problem-list.ts";
import { isKept } from "./world.ts";

/** A user of the directory, and the definition in the files, if any. */
interface KnownUser {
  readonly state: UserState;
  readonly named: DatasetUser | undefined;
  readonly mode: DatasetMode;
}

/** A kind of text that belongs to one user. */
interface UniqueKind {
  readonly what: string;
  /** The texts of a user of a data set, with pointers within the user. */
  readonly inFile: (user: DatasetUser) => readonly (readonly [text: string, pointer: string])[];
  /** The texts that a remaining user of the directory keeps in any case. */
  readonly kept: (user: KnownUser) => readonly string[];
}

function keptNames(marks: ReadonlyMap<string, Managed<unknown>>, mode: DatasetMode): string[] {
  return [...marks].filter(([, { managed }]) => isKept(managed, mode)).map(([name]) => name);
}

function keptExternalId({ state, named, mode }: KnownUser): readonly string[] {
  const { external_id } = state.user.value;
  const replaced = mode === "sync" && named !== undefined;
  return external_id === undefined || replaced ? [] : [external_id];
}

const KINDS: readonly UniqueKind[] = [
  {
    what: "access key",
    inFile: ({ credentials = [] }) =>
      credentials.map((key, index) => [key.access_key_id, `/credentials/${index}/access_key_id`]),
    kept: ({ state, mode }) => keptNames(state.credentials, mode),
  },
  {
    what: "external principal",
    inFile: ({ external_principals = [] }) =>
      external_principals.map((principal, index) => [principal, `/external_principals/${index}`]),
    kept: ({ state, mode }) => keptNames(state.externalPrincipals, mode),
  },
  {
    what: "external id",
    inFile: ({ external_id }) => (external_id === undefined ? [] : [[external_id, "/external_id"]]),
    kept: keptExternalId,
  },
];

function keptOwners(
  kind: UniqueKind,
  merged: MergedDataset,
  state: DirectoryState,
  mode: DatasetMode,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const [username, user] of state.users) {
    const named = merged.users.entries.get(username)?.value;
    if (named === undefined && !isKept(user.user.managed, mode)) continue;
    for (const text of kind.kept({ state: user, named, mode })) owners.set(text, username);
  }
  return owners;
}

function checkKind(
  kind: UniqueKind,
  merged: MergedDataset,
  owners: ReadonlyMap<string, string>,
  problems: ProblemList,
): void {
  const seen = new Map<string, Defined<unknown>>();
  for (const [username, { value, source, pointer }] of merged.users.entries) {
    for (const [text, at] of kind.inFile(value)) {
      const first = seen.get(text);
      const owner = owners.get(text);
      const place = pointer + at;
      if (first !== undefined) {
        problems.add(source, place, `this ${kind.what} is already given at ${placeOf(first, source)}`);
        continue;
      }
      seen.set(text, { value: text, source, pointer: place });
      if (owner === undefined || owner === username) continue;
      problems.add(source, place, `this ${kind.what} belongs to user "${owner}" of the directory`);
    }
  }
}

/** Checks that no text belongs to two users, within the files and together with the directory. */
export function checkUnique(
  merged: MergedDataset,
  state: DirectoryState,
  mode: DatasetMode,
  problems: ProblemList,
): void {
  for (const kind of KINDS) checkKind(kind, merged, keptOwners(kind, merged, state, mode), problems);
}
