/** Compiled policies of users: made at the first question about a user, shared by all who have the same policies. */

import { attachedTogether } from "@svc-authorizer/policy/engine/compile/attached-together.ts";
import { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { compilePolicyInSteps } from "@svc-authorizer/policy/engine/compile/compiled-policy.ts";
import { denyAllPolicies } from "@svc-authorizer/policy/engine/compile/deny-all.ts";
import { type PolicySet, policySetInSteps } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { StatementPool } from "@svc-authorizer/policy/engine/statement.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { Holdings } from "./held-policies.ts";
import type { ReplicaState, ReplicaUser } from "./replica-state.ts";

/** The items of the service on which decisions depend. */
export interface DecisionSettings {
  readonly partition: string;
  readonly request_properties: "fill" | "override";
  readonly policies_per_user: number;
}

/** A user, ready for decisions. */
export interface ReadyUser {
  readonly user: ReplicaUser;
  readonly policies: CompiledPolicies;
}

/** Internal ids that an entry of the log touched. */
export interface TouchedIds {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  readonly resources?: boolean;
  readonly all?: boolean;
}

/** Most sets of policies that are kept, used or not. */
const MOST_SETS = 4_096;
/** Most users that are kept ready. */
const MOST_USERS = 100_000;

/** The users of one replica. */
export class CompiledUsers {
  readonly #settings: DecisionSettings;
  readonly #state: ReplicaState;
  readonly #pool = new StatementPool("extended");
  /** The least recently used first. */
  readonly #sets = new Map<string, PolicySet>();
  readonly #users = new Map<string, ReadyUser>();
  readonly #names = new Map<string, string>();
  readonly #denyAll: CompiledPolicies;
  #holdings: Holdings;

  constructor(state: ReplicaState, settings: DecisionSettings) {
    this.#settings = settings;
    this.#state = state;
    this.#holdings = new Holdings(state);
    this.#denyAll = denyAllPolicies(settings.partition);
  }

  /** The user of a name; undefined for nobody. */
  get(username: string): ReadyUser | undefined {
    const known = this.#users.get(username);
    if (known !== undefined) return known;
    const user = this.#state.users.get(username);
    if (user === undefined) return undefined;
    const ready = { user, policies: this.#compiled(this.#holdings.of(username, user)) };
    if (this.#users.size >= MOST_USERS) this.#forgetUsers();
    this.#users.set(username, ready);
    this.#names.set(user.id, username);
    return ready;
  }

  /** Forgets what an entry may have changed. Compiled policies stay: their ids and versions name them. */
  evict({ users = [], groups = [], policies = [], all }: TouchedIds): void {
    this.#holdings = new Holdings(this.#state);
    if (all === true || groups.length + policies.length > 0) this.#forgetUsers();
    for (const id of users) {
      this.#users.delete(this.#names.get(id) ?? "");
      this.#names.delete(id);
    }
  }

  #forgetUsers(): void {
    this.#users.clear();
    this.#names.clear();
  }

  #compiled(held: readonly HeldPolicies[]): CompiledPolicies {
    const { partition, policies_per_user } = this.#settings;
    const names = new Set(held.flatMap(({ policies }) => policies.map(({ name }) => name)));
    if (names.size > policies_per_user) return this.#denyAll;
    const sets = attachedTogether(held).map((together) => this.#set(together));
    return new CompiledPolicies({ partition, evaluator: "extended" }, sets);
  }

  #set(policies: readonly StoredPolicy[]): PolicySet {
    const key = policies.map(({ id, version }) => `${id} ${version}`).join("\n");
    const set = this.#sets.get(key) ?? this.#compile(policies);
    this.#sets.delete(key);
    this.#sets.set(key, set);
    if (this.#sets.size > MOST_SETS) this.#sets.delete(this.#sets.keys().next().value ?? "");
    return set;
  }

  #compile(policies: readonly StoredPolicy[]): PolicySet {
    const compiled = policies.map(({ name, statement }) =>
      finish(compilePolicyInSteps({ name, statement }, this.#pool)),
    );
    return finish(policySetInSteps(compiled, this.#settings.partition));
  }
}
