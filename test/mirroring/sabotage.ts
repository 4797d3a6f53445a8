/** Variants of the controller that are wrong: each must be seen by the proofs. */
import type { Destination, Source } from "../../src/mirroring/ports.ts";
import type { DataServer } from "../../src/mirroring/server/data-server.ts";

/** Puts others in the place of the servers as a controller calls them. */
export type Sabotage = (servers: { readonly source: DataServer; readonly destination: DataServer }) => {
  readonly source: Source;
  readonly destination: Destination;
};

/** Leaves everything as it is. */
export const UNHARMED: Sabotage = (servers) => servers;

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
export const noDataCheck =
  (sourceRepository: string): Sabotage =>
  ({ source, destination }) => ({
    source,
    destination: replaced<Destination>(destination, {
      object: async () => "there",
      table: (_, kind, id) => source.table(sourceRepository, kind, id),
    }),
  });

/** Branches are pointed at commits and not at fences. */
export const BY_COMMIT_ID: Sabotage = ({ source, destination }) => {
  const commits = new Map<string, string>();
  return {
    source,
    destination: replaced<Destination>(destination, {
      createBranch: (repository, branch) => {
        if (branch.hidden) commits.set(branch.name, branch.source);
        const from = commits.get(branch.source) ?? branch.source;
        return destination.createBranch(repository, { ...branch, source: from });
      },
      pointBranch: (repository, branch, to) =>
        destination.pointBranch(repository, branch, commits.get(to) ?? to),
    }),
  };
};

/** The intent is written before the fence exists. */
export const INTENT_FIRST: Sabotage = ({ source, destination }) => {
  const waiting = new Map<string, string>();
  const fence = async (repository: string, name: string): Promise<void> => {
    const from = waiting.get(name);
    if (from !== undefined) await destination.createBranch(repository, { name, source: from, hidden: true });
  };
  return {
    source,
    destination: replaced<Destination>(destination, {
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
    }),
  };
};

/** Nothing that is staged is ever dropped. */
export const NOTHING_DROPPED: Sabotage = ({ source, destination }) => ({
  source,
  destination: replaced<Destination>(destination, { dropStaged: async () => true }),
});

/** Hidden branches of the source are mirrored, too. */
export const HIDDEN_ONES_TOO: Sabotage = ({ source, destination }) => ({
  source: replaced<Source>(source, { branches: (repository) => source.hiddenBranches(repository, "") }),
  destination,
});

/** The walk through a log ends at the first commit that is recorded. One for each run. */
export function walkEndsEarly(): Sabotage {
  const recorded = new Set<string>();
  const skipped = new Set<string>();
  return ({ source, destination }) => ({
    source: replaced<Source>(source, {
      log: async (repository, commit, amount) => {
        const page = await source.log(repository, commit, amount);
        const end = page?.findIndex(({ id }) => recorded.has(id)) ?? -1;
        for (const { id } of end < 0 ? [] : (page?.slice(end) ?? [])) skipped.add(id);
        return page;
      },
    }),
    destination: replaced<Destination>(destination, {
      record: async (repository, commit) => {
        if (skipped.has(commit.id)) return true;
        recorded.add(commit.id);
        return destination.record(repository, commit);
      },
    }),
  });
}
