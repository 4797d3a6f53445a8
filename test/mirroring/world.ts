/**
 * Two stand-ins, a replicator between their stores, a writer, and a witness that sees every change of the mirror and every
 * head of the source: it says what a mirror must never show.
 */

import { MirrorController } from "../../src/mirroring/controller.ts";
import type { Mirror, MirrorReport } from "../../src/mirroring/mirror.ts";
import { ServerCalls } from "../../src/mirroring/server/calls.ts";
import { DataServer } from "../../src/mirroring/server/data-server.ts";
import type { Expectation } from "../../src/store/expectation.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/port.ts";
import { type Sabotage, UNHARMED } from "./sabotage.ts";
import type { Repository } from "./stand-in/repository.ts";
import { StandIn } from "./stand-in/stand-in.ts";

const KEY = { accessKeyId: "key", secretAccessKey: "secret" };
const MINUTE_MS = 60_000;

/** Numbers that look random and are the same for the same seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** A source repository, its mirror, and who watches both. */
export class World {
  readonly source: StandIn;
  readonly destination: StandIn;
  readonly repository: Repository;
  /** The store of the service; several controllers share it. */
  readonly store: Store = openMemoryStore();
  /** Breaches of what a mirror promises. */
  readonly violations: string[] = [];
  /** Commits that a branch of the source has pointed to. */
  readonly #seen = new Map<string, string[]>();
  /** The place of each branch of the mirror in the heads that the source's had. */
  readonly #places = new Map<string, number>();
  /** Commits that a branch of the source led to when its branches were listed. */
  readonly #reached = new Set<string>();
  /** Commits whose data was seen to be whole. */
  readonly #whole = new Set<string>();
  /** Milliseconds that pass for the controllers. */
  clock = Date.now();
  /** Milliseconds by which their clocks were set. */
  setBy = 0;
  /** Time limit of calls that nodes make. */
  timeoutMs = 5_000;

  private constructor(source: StandIn, destination: StandIn) {
    this.source = source;
    this.destination = destination;
    source.onHead = (_, branch, commit) => this.#noteHead(branch, commit);
    destination.onHead = (_, branch, commit) => this.#judge(branch, commit);
    source.onList = () => this.#noteList();
    destination.onRecord = (commit) => this.#judgeRecord(commit);
    this.repository = source.create("sales");
  }

  static async open(): Promise<World> {
    return new World(await StandIn.start(), await StandIn.start());
  }

  async close(): Promise<void> {
    await Promise.all([this.source.close(), this.destination.close(), this.store.close()]);
  }

  /** The mirror's repository. */
  get mirror(): Repository {
    const found = this.destination.repositories.get("sales-west");
    if (found === undefined) throw new Error("the mirror was not created");
    return found;
  }

  readonly asked: Mirror = {
    uid: "0123456789abcdef",
    name: "sales-west",
    region: "west",
    sourceRepository: "sales",
    storageNamespace: "local://sales-west",
    branches: { include: [], exclude: [] },
    createdAt: Math.floor(Date.now() / 1000),
    createdBy: "admin",
  };

  /** The two servers, as a node calls them. */
  servers(options: { readonly signal?: AbortSignal } = {}) {
    const limits = { tries: 3, waitMs: 1, timeoutMs: this.timeoutMs, ...options };
    const server = (endpoint: string): DataServer =>
      new DataServer(new ServerCalls({ endpoint, ...KEY }, limits));
    return { source: server(this.source.url), destination: server(this.destination.url) };
  }

  /** A controller, as a node that has just started has it. */
  controller(
    sabotage: Sabotage = UNHARMED,
    mirror: Partial<Mirror> = {},
    blocksExternal = false,
    expects: readonly Expectation[] = [],
    recheckMs = 0,
  ): MirrorController {
    const { source, destination } = sabotage(this.servers());
    return new MirrorController(
      { ...this.asked, ...mirror },
      {
        store: this.store,
        source,
        destination,
        blocksExternal,
        expects,
        recheckMissingMs: 10 * MINUTE_MS,
        recheckMs,
        now: () => this.clock + this.setBy,
        monotonic: () => this.clock,
      },
    );
  }

  /** A pass behind the time for which a data server may answer for an earlier repository. */
  async pass(controller: MirrorController): Promise<MirrorReport | undefined> {
    this.clock += MINUTE_MS;
    return controller.pass();
  }

  /** Copies objects and tables that the destination lacks, in any order, at most so many; all of them without a number. */
  replicate(random?: (below: number) => number, amount = Number.POSITIVE_INFINITY): void {
    const missing = [...this.source.store].filter(([key, bytes]) => {
      const there = this.destination.store.get(targetOf(key));
      return there === undefined || there.length < bytes.length;
    });
    for (let copied = 0; copied < amount && missing.length > 0; copied += 1) {
      const [one] = missing.splice(random?.(missing.length) ?? 0, 1);
      if (one === undefined) return;
      const [key, bytes] = one;
      // Some come in two parts.
      const part =
        amount !== Number.POSITIVE_INFINITY && random?.(4) === 0 ? bytes.length >> 1 : bytes.length;
      this.destination.store.set(targetOf(key), bytes.subarray(0, part));
    }
  }

  #noteList(): void {
    const open = [...this.repository.branches.values()]
      .filter(({ isHidden }) => !isHidden)
      .map(({ commit }) => commit);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (this.#reached.has(id)) continue;
      this.#reached.add(id);
      open.push(...(this.repository.commits.get(id)?.parents ?? []));
    }
  }

  /** Commits these objects beside what the branch of the source has; returns the commit. */
  commit(contents: Record<string, string>, branch = "main"): string {
    const { repository } = this;
    const head = repository.branches.get(branch)?.commit;
    const before = head === undefined ? [] : (repository.contentOf(head) ?? []);
    return repository.commit(branch, new Map([...before, ...repository.upload(contents)]));
  }

  /** Judges the recording of a commit (M7). */
  #judgeRecord(commit: string): void {
    if (!this.#reached.has(commit)) this.violations.push(`M7: ${commit} was on no branch of the source`);
  }

  #noteHead(branch: string, commit: string | undefined): void {
    if (commit === undefined) return;
    const heads = this.#seen.get(branch) ?? [];
    heads.push(commit);
    this.#seen.set(branch, heads);
  }

  /** Judges a change of the mirror (M1 to M3), seen inside the data server at the time of the change. */
  #judge(branch: string, commit: string | undefined): void {
    if (commit === undefined) return;
    const heads = this.#seen.get(branch) ?? [];
    const from = this.#places.get(branch) ?? -1;
    const stays = from >= 0 && heads[from] === commit;
    const place = stays ? from : heads.indexOf(commit, from + 1);
    if (place < 0) this.violations.push(`M3: ${branch} went to ${commit}, which is not ahead of it`);
    else this.#places.set(branch, place);
    this.#judgeData(branch, commit);
  }

  #judgeData(branch: string, commit: string): void {
    const { mirror } = this;
    const open = [commit];
    const visited = new Set<string>();
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (visited.has(id)) continue;
      visited.add(id);
      const recorded = mirror.commits.get(id);
      if (recorded === undefined) {
        this.violations.push(`M2: ${id} is not recorded, and ${branch} leads to it`);
        continue;
      }
      open.push(...recorded.parents);
      // Nothing takes data away again: what was whole stays so.
      if (this.#whole.has(id)) continue;
      const before = this.violations.length;
      this.#judgeCommit(id);
      if (this.violations.length === before) this.#whole.add(id);
    }
  }

  #judgeCommit(id: string): void {
    const { mirror, repository } = this;
    const there = mirror.contentOf(id);
    if (there === undefined) {
      if (repository.contentOf(id) !== undefined)
        this.violations.push(`M2: the tables of ${id} are not there`);
      return;
    }
    for (const [path, { address, isFull }] of there) {
      const key = `${repository.namespace}/${address}`;
      const [theirs, ours] = [this.source.store.get(key), this.destination.store.get(targetOf(key))];
      if (isFull || theirs === undefined) continue;
      if (ours === undefined) this.violations.push(`M2: ${path} of ${id} is not there`);
      else if (!ours.equals(theirs)) this.violations.push(`M1: ${path} of ${id} has other bytes`);
    }
  }

  /** Branches whose heads differ (M4). */
  behind(): string[] {
    const [theirs, ours] = [this.repository, this.mirror].map(
      ({ branches }) => new Map([...branches].filter(([, { isHidden }]) => !isHidden)),
    );
    const names = new Set([...(theirs?.keys() ?? []), ...(ours?.keys() ?? [])]);
    return [...names].filter((name) => theirs?.get(name)?.commit !== ours?.get(name)?.commit);
  }
}

/** The key of the destination's copy. */
export function targetOf(key: string): string {
  return key.replace("local://sales/", "local://sales-west/");
}
