/** Somebody who works on the source: commits, merges of old branches, resets backwards, branches made, deleted, made again, hidden ones. */
import type { Content } from "./stand-in/content.ts";
import type { World } from "./world.ts";

const MOST_PATHS = 12;

/** Does one thing to the source. */
export function write(world: World, random: (below: number) => number): void {
  const { repository } = world;
  const names = [...repository.branches].flatMap(([one, { isHidden }]) => (isHidden ? [] : [one]));
  const name = names[random(names.length)] ?? "main";
  const head = repository.branches.get(name)?.commit;
  const content = head === undefined ? new Map() : (repository.contentOf(head) as Content);
  const changed = (): Content => {
    const added = repository.upload({ [`path-${random(MOST_PATHS)}`]: `content ${random(1_000_000)}` });
    return new Map([...content, ...added]);
  };
  const kind = head === undefined ? 0 : random(11);
  if (kind < 5) {
    // Clocks of writers differ: creation order is not history.
    repository.commit(name, changed(), { creationDate: 1_700_000_000 + random(1_000) });
  } else if (kind < 7) {
    const other = names[random(names.length)] ?? "main";
    const theirs = repository.branches.get(other)?.commit ?? (head as string);
    const merged = new Map([...content, ...(repository.contentOf(theirs) as Content), ...changed()]);
    const creationDate = 1_700_000_000 + random(1_000);
    repository.commit(name, merged, { parents: [head as string, theirs], creationDate });
  } else if (kind === 7) {
    const [parent] = repository.commits.get(head as string)?.parents ?? [];
    if (parent !== undefined) repository.point(name, parent);
  } else if (kind === 8) {
    const free = `branch-${random(4)}`;
    if (!repository.branches.has(free)) repository.point(free, head as string);
  } else if (kind === 9) {
    // No branch of the mirror ever leads to it.
    repository.commit(`hidden-${random(4)}`, changed(), { parents: [head as string], isHidden: true });
  } else if (name !== "main") repository.deleteBranch(name);
}
