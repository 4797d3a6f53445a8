/** Variants of the controller that are wrong: each must be seen by the proofs. */
import type { Destination, Source } from "../../src/mirroring/ports.ts";
import type { Sabotage, World } from "./world.ts";

/** A port with some methods replaced. */
function replaced<T extends object>(port: T, methods: Partial<T>): T {
  return new Proxy(port, {
    get(target, name) {
      const own = methods[name as keyof T];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Data is taken to be there without a look. */
export const NO_DATA_CHECK: Sabotage = {
  destination: (destination, world) =>
    replaced<Destination>(destination, {
      object: async () => "there",
      table: async (_, __, id) => world.source.store.get(`local://sales/_meta/${id}`) ?? "gone",
    }),
};

/** Branches are pointed at commits and not at fences. */
export const BY_COMMIT_ID: Sabotage = {
  destination: (destination) => {
    const commits = new Map<string, string>();
    return replaced<Destination>(destination, {
      createBranch: (repository, branch) => {
        if (branch.hidden) commits.set(branch.name, branch.source);
        const source = commits.get(branch.source) ?? branch.source;
        return destination.createBranch(repository, { ...branch, source });
      },
      pointBranch: (repository, branch, to) =>
        destination.pointBranch(repository, branch, commits.get(to) ?? to),
    });
  },
};

/** The intent is written before the fence exists. */
export const INTENT_FIRST: Sabotage = {
  destination: (destination) => {
    const waiting = new Map<string, string>();
    const fence = async (repository: string, name: string): Promise<void> => {
      const source = waiting.get(name);
      if (source !== undefined) await destination.createBranch(repository, { name, source, hidden: true });
    };
    return replaced<Destination>(destination, {
      createBranch: async (repository, branch) => {
        if (branch.hidden) waiting.set(branch.name, branch.source);
        if (branch.hidden) return "created";
        await fence(repository, branch.source);
        return destination.createBranch(repository, branch);
      },
      pointBranch: async (repository, branch, to) => {
        await fence(repository, to);
        return destination.pointBranch(repository, branch, to);
      },
    });
  },
};

/** Nothing that is staged is ever dropped. */
export const NOTHING_DROPPED: Sabotage = {
  destination: (destination) => replaced<Destination>(destination, { dropStaged: async () => true }),
};

/** Hidden branches of the source are mirrored, too. */
export const HIDDEN_ONES_TOO: Sabotage = {
  source: (source, world) =>
    replaced<Source>(source, {
      branches: async (repository) => {
        await source.branches(repository);
        return [...world.repository.branches].map(([name, { commit }]) => ({ name, commit }));
      },
    }),
};

/** The walk through a log ends at the first commit that is recorded. */
export const WALK_ENDS_EARLY: Sabotage = {
  source: (source, world) => {
    const skipped = skippedOf(world);
    return replaced<Source>(source, {
      log: async (repository, commit, amount) => {
        const page = await source.log(repository, commit, amount);
        const end = page?.findIndex(({ id }) => world.mirror.commits.has(id)) ?? -1;
        for (const { id } of end < 0 ? [] : (page?.slice(end) ?? [])) skipped.add(id);
        return page;
      },
    });
  },
  destination: (destination, world) =>
    replaced<Destination>(destination, {
      record: async (repository, commit) =>
        skippedOf(world).has(commit.id) ? true : destination.record(repository, commit),
    }),
};

const SKIPPED = new WeakMap<World, Set<string>>();

function skippedOf(world: World): Set<string> {
  const found = SKIPPED.get(world) ?? new Set();
  SKIPPED.set(world, found);
  return found;
}
