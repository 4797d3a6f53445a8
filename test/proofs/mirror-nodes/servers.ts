/** The data servers of proofs with nodes: stand-ins, or with `npm run prove` the real ones that are given. */
import { randomOf, World } from "../../mirroring/world.ts";
import { write } from "../../mirroring/writer.ts";
import { type GivenDataServer, givenDataServer } from "../data-server/given-data-server.ts";
import { RealMirror } from "../data-server/real-mirror.ts";
import { KEY, SECRET } from "../data-server/running-data-server.ts";
import { isWhole } from "../size.ts";

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

/** Opens them, with a repository that has no data yet. */
export async function openServers(seed = 1): Promise<MirrorServers> {
  const given = isWhole ? givenDataServer() : undefined;
  const random = randomOf(seed);
  return given === undefined ? openStandIns(random) : openReal(given, random);
}

async function openStandIns(random: (below: number) => number): Promise<MirrorServers> {
  const world = await World.open();
  const { repository } = world;
  return {
    source: world.source.url,
    destination: world.destination.url,
    key: { access_key_id: "AKIAJDATASERVERXXXXQ", secret_access_key: "a-secret-of-the-stand-in" },
    violations: world.violations,
    commit: async (branch) => {
      const head = repository.branches.get(branch)?.commit;
      const before = head === undefined ? [] : (repository.contentOf(head) ?? []);
      repository.commit(branch, new Map([...before, ...repository.upload({ a: `${random(1e9)}` })]));
    },
    write: async () => write(world, random),
    replicate: () => world.replicate(),
    behind: async () => (world.destination.repositories.has("sales-west") ? world.behind() : ["all"]),
    judge: async () => {},
    close: () => world.close(),
  };
}

async function openReal(given: GivenDataServer, random: (below: number) => number): Promise<MirrorServers> {
  const both = await RealMirror.open(given);
  both.readOn();
  return {
    source: both.source.url,
    destination: both.destination.url,
    key: { access_key_id: KEY, secret_access_key: SECRET },
    violations: both.violations,
    commit: (branch) => both.commit(branch, "a", `${random(1e9)}`),
    write: () => both.write(random),
    replicate: () => both.replicate(),
    behind: () => both.behind(),
    judge: () => both.read(),
    close: () => both.close(),
  };
}
