/**
 * Mirrors are read-only for everybody but the user whose key fills them (spec/mirroring §10): a policy that nobody stored,
 * with a name of its own in explanations. The data server's own protection gives way to whoever asks with `force`.
 */

import { createHash } from "node:crypto";
import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { MIRROR_RULE } from "@svc-authorizer/policy/model/reserved-policies.ts";
import type { DirectoryChange } from "../directory/directory.ts";

/** A repository that is a mirror. */
export interface ReadOnlyMirror {
  readonly repository: string;
  readonly storageNamespace: string;
  /** Name of the user whose key fills it; undefined: no user of this directory does. */
  readonly filledBy: string | undefined;
}

/** Parts of the rule. */
interface MirrorRuleParts {
  readonly partition: string;
  /** Names of all actions of data servers. */
  readonly actions: Iterable<string>;
  /** Reads all mirrors from the newest state. */
  readonly mirrors: () => Promise<readonly ReadOnlyMirror[]>;
}

/** Verbs of actions that change nothing. */
const READS = /^[^:]+:(Read|List|Get)/;

/** Makes the policy of each user. */
export class MirrorRule {
  readonly #parts: MirrorRuleParts;
  readonly #actions: readonly string[];
  #read: Promise<readonly ReadOnlyMirror[]> | undefined;
  #hasMirrors = true;
  /** Grows with each change: what was read before one says nothing about the state behind it. */
  #generation = 0;
  /** Policies by what they are about: users have the same one but for those who fill mirrors. */
  #held = new Map<string, HeldPolicies>();

  constructor(parts: MirrorRuleParts) {
    this.#parts = parts;
    this.#actions = [...parts.actions].filter((action) => !READS.test(action)).sort();
  }

  /** To be told of each change before anybody hears of its success. */
  tell({ all, users = [] }: DirectoryChange): void {
    // A change of a user may be one of the keys.
    if (all !== true && (!this.#hasMirrors || users.length === 0)) return;
    this.#read = undefined;
    this.#hasMirrors = true;
    this.#generation += 1;
  }

  /** The policy of a user in the newest state; undefined where there is no mirror that somebody else fills. */
  async of(username: string): Promise<HeldPolicies | undefined> {
    this.#read ??= this.#all();
    const reading = this.#read;
    const mirrors = await reading.catch((error: unknown) => {
      if (this.#read === reading) this.#read = undefined;
      throw error;
    });
    const closed = mirrors.filter(({ filledBy }) => filledBy === undefined || filledBy !== username);
    if (closed.length === 0) return undefined;
    const key = JSON.stringify(
      closed.map(({ repository, storageNamespace }) => [repository, storageNamespace]),
    );
    const known = this.#held.get(key);
    if (known !== undefined) return known;
    const made = this.#make(closed, key);
    this.#held.set(key, made);
    return made;
  }

  async #all(): Promise<readonly ReadOnlyMirror[]> {
    const generation = this.#generation;
    const mirrors = await this.#parts.mirrors();
    if (generation !== this.#generation) return mirrors;
    this.#hasMirrors = mirrors.length > 0;
    this.#held = new Map();
    return mirrors;
  }

  #make(mirrors: readonly ReadOnlyMirror[], key: string): HeldPolicies {
    const { partition } = this.#parts;
    const arn = (rest: string): string => `arn:${partition}:fs:::${rest}`;
    const repositories = mirrors.flatMap(({ repository }) => [
      arn(`repository/${repository}`),
      arn(`repository/${repository}/*`),
    ]);
    const namespaces = mirrors.flatMap(({ storageNamespace }) => {
      const namespace = storageNamespace.replace(/\/+$/, "");
      return [arn(`namespace/${namespace}`), arn(`namespace/${namespace}/*`)];
    });
    const statement: readonly Statement[] = [
      {
        sid: "MirrorIsReadOnly",
        effect: "deny",
        action: this.#actions,
        resource: JSON.stringify(repositories),
      },
      {
        sid: "NamespaceOfMirror",
        effect: "deny",
        action: ["fs:AttachStorageNamespace"],
        resource: JSON.stringify(namespaces),
      },
    ];
    const version = createHash("sha256").update(key).digest("hex");
    const policy: StoredPolicy = {
      id: MIRROR_RULE,
      version,
      name: MIRROR_RULE,
      creation_date: 0,
      statement,
    };
    // A list of its own, which all users share when policies are compiled.
    return { holder: MIRROR_RULE, via: { group: MIRROR_RULE }, policies: [policy] };
  }
}
