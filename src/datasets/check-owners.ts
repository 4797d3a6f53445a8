/** Checks that no text that belongs to one user belongs to another one of the directory. */

import type { StateView, TextOwner, UniqueText } from "../directory/batch.ts";
import type { DatasetIndex } from "./dataset-index.ts";
import type { MergedDataset } from "./merge.ts";
import type { DatasetMode } from "./plan.ts";
import type { ProblemList } from "./problem-list.ts";
import { UNIQUE_KINDS } from "./unique-texts.ts";
import { isKept } from "./world.ts";

/** The surroundings of texts. */
interface OwnerChecks {
  readonly view: StateView;
  readonly index: DatasetIndex;
  readonly mode: DatasetMode;
  readonly problems: ProblemList;
}

/** Checks the texts of the users of a piece; a text that the data sets give twice is checked where it is given first. */
export async function checkOwners(
  { users }: Pick<MergedDataset, "users">,
  { view, index, mode, problems }: OwnerChecks,
): Promise<void> {
  for (const { kind, what, of, at } of UNIQUE_KINDS) {
    const given = [...users.entries].flatMap(([username, user]) =>
      of(user.value).map((text, number) => ({ username, user, text, number })),
    );
    const owners = await view.owners(
      kind,
      given.map(({ text }) => text),
    );
    const seen = new Set<string>();
    for (const [place, { username, user, text, number }] of given.entries()) {
      const owner = owners[place];
      const isFirst = !seen.has(text);
      seen.add(text);
      if (!isFirst || owner === undefined || owner.username === username) continue;
      if (!index.isFirstOwner(kind, text, username) || !keepsText(kind, owner, index, mode)) continue;
      const message = `this ${what} belongs to user "${owner.username}" of the directory`;
      problems.add(user.source, user.pointer + at(number), message);
    }
  }
}

/** True if the owner has the text in any case after the data sets are applied. */
function keepsText(kind: UniqueText, owner: TextOwner, index: DatasetIndex, mode: DatasetMode): boolean {
  const isNamed = index.users.entries.has(owner.username);
  if (!isNamed && !isKept(owner.isUserManaged, mode)) return false;
  return kind === "external_id" ? !(mode === "sync" && isNamed) : isKept(owner.isManaged, mode);
}
