/** The data servers of proofs with nodes: stand-ins, or with \`npm run prove\` the real ones that are given. */
import { randomOf, World } from "../../mirroring/world.ts";
import { write } from "../../mirroring/writer.ts";

/** A source repository `sales`, the place of its mirror, and who watches both. */
export interface MirrorServers {
  readonly source: string;
  readonly destination: string;
  readonly key: { readonly access_key_id: string; readonly secret_access_key: string };
  readonly violations: readonly string[];
  /** Makes a commit on a branch, which is created where it does not exist. */
  commit(branch: string): Promise<void>;
  /** Does one thing to the source, whatever comes. */
  write(): Promise<void>;
  /** Copies everything that the mirror's store lacks. */
  replicate(): void;
  /** Branches whose heads differ. */
  behind(): Promise<readonly string[]>;
  /** Looks at what the mirror shows, where the servers do not tell that by themselves. */
  judge(): Promise<void>;
  close(): Promise<void>;
}

/** Opens them, with a repository that has no commit of its own yet. */
export async function openServers(seed = 1): Promise<MirrorServers> {
  const world = await World.open();
  const random = randomOf(seed);
  return {
    source: world.source.url,
    destination: world.destination.url,
    key: { access_key_id: "AKIAJDATASERVERXXXXQ", secret_access_key: "a-secret-of-the-stand-in" },
    violations: world.violations,
    commit: async (branch) => {
      const head = world.repository.branches.get(branch)?.commit;
      const before = head === undefined ? [] : (world.repository.contentOf(head) ?? []);
      world.repository.commit(
        branch,
        new Map([...before, ...world.repository.upload({ a: `${random(1e9)}` })]),
      );
    },
    write: async () => write(world, random),
    replicate: () => world.replicate(),
    behind: async () => (world.destination.repositories.has("sales-west") ? world.behind() : ["all"]),
    judge: async () => {},
    close: () => world.close(),
  };
}
