/**
 * Finds what decided nothing for some time, a page at a time (spec/decision-log §5.2). A page begins at the mark of the
 * one before and reads what it lists, whatever the size of the directory.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  type AccessInUse,
  UNUSED_KINDS,
  type UnusedEntry,
  type UnusedKind,
  type UnusedPage,
  type UnusedQuestion,
} from "./unused-access.ts";
import { markOf, type Place, placeOf } from "./unused-marks.ts";
import { type Looked, UnusedWalks } from "./unused-walks.ts";

/** Things that one page looks at: it may be shorter than was asked for. */
const MOST_LOOKED_AT = 5_000;

/**
 * Returns a page.
 * @throws AuthorizerError "invalid_request" for a mark of another list
 */
export async function unusedPage(source: AccessInUse, question: UnusedQuestion): Promise<UnusedPage> {
  const { kind, after, amount } = question;
  const from = placeOf(after);
  if (from !== undefined && kind !== undefined && from.kind !== kind) {
    throw new AuthorizerError("invalid_request", "after: belongs to a list of another kind");
  }
  const entries: UnusedEntry[] = [];
  let looked = 0;
  let last: Place | undefined;
  for await (const { place, entry, cost } of everything(source, question, from)) {
    if (last !== undefined && (entries.length >= amount || looked >= MOST_LOOKED_AT)) {
      return { entries, next: markOf(last) };
    }
    if (entry !== undefined) entries.push(entry);
    looked += cost;
    last = place;
  }
  return { entries, next: "" };
}

async function* everything(
  source: AccessInUse,
  { since, kind }: UnusedQuestion,
  from: Place | undefined,
): AsyncGenerator<Looked> {
  const walks = new UnusedWalks(source, since);
  for (const one of kindsFrom(kind, from?.kind)) {
    yield* walks.of(one, from?.kind === one ? from : { kind: one, name: "" });
  }
}

function kindsFrom(only: UnusedKind | undefined, first: UnusedKind | undefined): readonly UnusedKind[] {
  if (only !== undefined) return [only];
  return UNUSED_KINDS.slice(first === undefined ? 0 : UNUSED_KINDS.indexOf(first));
}
