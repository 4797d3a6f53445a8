/** Policies as they are in force, so that the policies of a user of many need not be read where others have them too. */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { LRUCache } from "lru-cache";
import type { DirectoryChange } from "../directory.ts";
import type { PolicyAttachment } from "./attachments.ts";
import type { ReadState, State, ToldCommits } from "./told-commits.ts";

/** Most memory of the policies that are known. */
const KEPT_BYTES = 32 << 20;
/** From this share of it on, another policy would soon put an earlier one out. */
const FULL = 0.75;

/** A policy as it was read. */
interface Known extends State {
  readonly policy: StoredPolicy;
}

/** Remembers policies by their id, until a change touches them. */
export class KnownPolicies {
  readonly #commits: ToldCommits;
  readonly #known: LRUCache<string, Known>;

  /**
   * @param commits the news by which policies are judged
   * @param bytesOf about the bytes that a policy holds, with what is made of it
   */
  constructor(commits: ToldCommits, bytesOf: (policy: StoredPolicy) => number) {
    this.#commits = commits;
    this.#known = new LRUCache({
      maxSize: KEPT_BYTES,
      sizeCalculation: ({ policy }) => bytesOf(policy),
    });
  }

  /** True if few more policies would put an earlier one out. */
  get isFull(): boolean {
    return this.#known.calculatedSize >= KEPT_BYTES * FULL;
  }

  /** Notes a change that was told of. */
  touched({ policies = [] }: DirectoryChange): void {
    for (const id of policies) this.#known.delete(id);
  }

  /** Forgets everything. */
  clear(): void {
    this.#known.clear();
  }

  /** The policies of attachments in a state; undefined where one is not known, and where it has another name. */
  at(state: ReadState, attachments: readonly PolicyAttachment[]): (StoredPolicy | undefined)[] {
    if (!this.#commits.reaches(state)) return new Array(attachments.length).fill(undefined);
    const { revision, base } = state;
    return attachments.map(({ id, name }) => {
      const known = this.#known.get(id);
      if (known === undefined || known.base !== base || known.revision > revision) return undefined;
      return known.policy.name === name ? known.policy : undefined;
    });
  }

  /** Keeps policies as they were read from a state, unless they have changed since. */
  keep(state: ReadState, policies: readonly StoredPolicy[]): void {
    const since = this.#commits.since(state);
    if (since === undefined) return;
    const touched = new Set(since.flatMap((change) => change.policies ?? []));
    const { revision, base } = state;
    for (const policy of policies)
      if (!touched.has(policy.id)) this.#known.set(policy.id, { policy, revision, base });
  }
}
