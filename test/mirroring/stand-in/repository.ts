/** A repository of the stand-in, and how its branches change: in two steps, as in the real server. */
import { commitId } from "../../../src/mirroring/commit-identity.ts";
import type { LoggedCommit } from "../../../src/mirroring/logged-commit.ts";
import { type Content, type Entry, findEntry, readContent, type Store, writeContent } from "./content.ts";

/** A branch. */
interface Branch {
  commit: string;
  readonly isHidden: boolean;
  /** Changes with every write of the branch: a write that read an earlier one fails and is made again. */
  token: number;
  /** Objects that are staged. */
  staged: Map<string, Entry>;
}

/** Facts of a new commit that need not be those of the next one of a branch. */
interface CommitFacts {
  readonly parents?: readonly string[];
  readonly creationDate?: number;
  readonly message?: string;
  /** The branch is hidden where this creates it. */
  readonly isHidden?: boolean;
}

/** Called between what an operation reads and what it writes: a test may hold it there. */
export type Gate = (operation: string, branch: string, ref: string) => Promise<void>;

let tokens = 0;
let objects = 0;

/** A repository. */
export class Repository {
  readonly name: string;
  readonly namespace: string;
  readonly defaultBranch: string;
  readonly isReadOnly: boolean;
  readonly createdAt: number;
  readonly commits = new Map<string, LoggedCommit>();
  readonly branches = new Map<string, Branch>();
  readonly metadata: Record<string, string> = {};
  readonly store: Store;
  readonly gate: Gate;
  /** Called after each change of a branch that is not hidden; `commit` undefined: it was deleted. */
  readonly onHead: (branch: string, commit: string | undefined) => void;

  constructor(
    facts: {
      readonly name: string;
      readonly namespace: string;
      readonly defaultBranch?: string;
      readonly isReadOnly?: boolean;
      readonly createdAt: number;
    },
    store: Store,
    gate: Gate,
    onHead: (branch: string, commit: string | undefined) => void,
  ) {
    this.name = facts.name;
    this.namespace = facts.namespace;
    this.defaultBranch = facts.defaultBranch ?? "main";
    this.isReadOnly = facts.isReadOnly ?? false;
    this.createdAt = facts.createdAt;
    this.store = store;
    this.gate = gate;
    this.onHead = onHead;
  }

  /** The commit that a ref names: a branch or a commit. */
  resolve(ref: string): string | undefined {
    return this.branches.get(ref)?.commit ?? (this.commits.has(ref) ? ref : undefined);
  }

  /** History of a commit, ordered by creation date, newest first. Throws where an ancestor is not recorded. */
  log(commit: string): LoggedCommit[] {
    const found = new Map<string, LoggedCommit>();
    const open = [commit];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (found.has(id)) continue;
      const one = this.commits.get(id);
      if (one === undefined) throw new Error(`no commit ${id}`);
      found.set(id, one);
      open.push(...one.parents);
    }
    return [...found.values()].sort(
      (left, right) => right.creationDate - left.creationDate || (left.id < right.id ? -1 : 1),
    );
  }

  /** The objects of a commit; undefined where the store lacks a table. */
  contentOf(commit: string): Content | undefined {
    const metaRange = this.commits.get(commit)?.metaRangeId;
    return metaRange === undefined ? undefined : readContent(this.store, this.namespace, metaRange);
  }

  /** The object at a path of a commit; `no data` where the store cannot tell. */
  entryOf(commit: string, path: string): Entry | "no data" | undefined {
    return findEntry(this.store, this.namespace, this.commits.get(commit)?.metaRangeId ?? "", path);
  }

  /** Writes a branch: reads it, lets `change` say what it becomes, and begins again where it was written meanwhile. */
  async update(
    name: string,
    operation: string,
    ref: string,
    change: (branch: Branch) => { commit?: string; staged?: Map<string, Entry> } | undefined,
  ): Promise<boolean> {
    for (;;) {
      const branch = this.branches.get(name);
      if (branch === undefined) return false;
      const { token } = branch;
      const changed = change(branch);
      if (changed === undefined) return false;
      await this.gate(operation, name, ref);
      const now = this.branches.get(name);
      if (now === undefined) return false;
      if (now.token !== token) continue;
      Object.assign(now, changed, { token: ++tokens });
      if (!now.isHidden && changed.commit !== undefined) this.onHead(name, now.commit);
      return true;
    }
  }

  /** Creates a branch: nothing refuses one whose source was deleted after it was read. */
  async createBranch(
    name: string,
    source: string,
    isHidden: boolean,
  ): Promise<"created" | "taken" | "no source"> {
    const commit = this.resolve(source);
    if (commit === undefined) return "no source";
    if (this.branches.has(name)) return "taken";
    await this.gate("create", name, source);
    if (this.branches.has(name)) return "taken";
    this.branches.set(name, { commit, isHidden, token: ++tokens, staged: new Map() });
    if (!isHidden) this.onHead(name, commit);
    return "created";
  }

  deleteBranch(name: string): boolean {
    const branch = this.branches.get(name);
    this.branches.delete(name);
    if (branch?.isHidden === false) this.onHead(name, undefined);
    return branch !== undefined;
  }

  /** Writes objects into the store; returns them as entries. */
  upload(contents: Readonly<Record<string, string>>): Map<string, Entry> {
    return new Map(
      Object.entries(contents).map(([path, text]) => {
        const address = `data/${++objects}`;
        this.store.set(`${this.namespace}/${address}`, Buffer.from(text));
        return [path, { address, size: Buffer.byteLength(text) }];
      }),
    );
  }

  /** Commits a content on a branch, which is created where it does not exist; returns the id. */
  commit(branch: string, content: Content, more: CommitFacts = {}): string {
    return this.commitMetaRange(branch, writeContent(this.store, this.namespace, content), more);
  }

  /** As {@link commit}, with a content that is in the store. */
  commitMetaRange(branch: string, metaRangeId: string, more: CommitFacts = {}): string {
    const head = this.branches.get(branch)?.commit;
    const parents = more.parents ?? (head === undefined ? [] : [head]);
    const facts = {
      committer: "writer",
      message: more.message ?? `commit ${this.commits.size}`,
      metaRangeId,
      creationDate: more.creationDate ?? 1_700_000_000 + this.commits.size,
      parents,
      metadata: { by: "test" },
    };
    const id = commitId(facts);
    const generation = 1 + Math.max(0, ...parents.map((one) => this.commits.get(one)?.generation ?? 0));
    this.commits.set(id, { ...facts, id, generation, version: 1 });
    this.point(branch, id, more.isHidden);
    return id;
  }

  /** Points a branch at a commit at once. */
  point(branch: string, commit: string, isHidden = false): void {
    const found = this.branches.get(branch);
    if (found === undefined) {
      this.branches.set(branch, { commit, isHidden, token: ++tokens, staged: new Map() });
    } else Object.assign(found, { commit, token: ++tokens });
    if (this.branches.get(branch)?.isHidden === false) this.onHead(branch, commit);
  }
}
