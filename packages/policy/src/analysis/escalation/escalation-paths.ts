/**
 * Finds users who can become administrators, and by which steps: a search over the writes of the management API, each
 * decided by the engine with the caller's policies of that moment. It says what `authorizer.escalation: deny` has to
 * prevent; the checks of that setting are not part of it.
 */

import { type CompiledPolicies, compile } from "../../engine/compile/compile.ts";
import { decide } from "../../engine/decide/decide.ts";
import { explain } from "../../engine/explain/explain.ts";
import { compileWildcard } from "../../engine/patterns/wildcard.ts";
import type { FieldValue, RequiredPermissions, StatementName } from "../../model/decision.ts";
import type { Statement } from "../../model/policy.ts";
import { type AccessWorld, heldBy, namesHeldBy } from "./access-world.ts";
import {
  type EscalationState,
  type EscalationStep,
  type StepOptions,
  stepsFrom,
  type TriedStep,
} from "./escalation-steps.ts";
import { preparingSteps, type Rights } from "./preparing-steps.ts";

/** Settings of the search. */
export interface EscalationOptions extends Pick<StepOptions, "aclPolicyName" | "aclStatements"> {
  readonly partition: string;
  /** Returns the permissions that an operation requires with these values, by the permission table. */
  readonly requirement: (
    operation: string,
    values: ReadonlyMap<string, string>,
  ) => RequiredPermissions | null;
  /** Condition fields of every call, such as `SourceIp`; the fields `action.…` are added to them. Default: none. */
  readonly context?: ReadonlyMap<string, FieldValue>;
  /** Most steps of a path; default 4. */
  readonly mostSteps?: number;
  /** Most states that are looked at for one user; default 2,000. */
  readonly mostStates?: number;
  /** True when no more work may begin: the users that are left are undecided. Default: never. */
  readonly isOver?: () => boolean;
}

/** A step of a path, with the statements that allow it. */
export interface ConfirmedStep extends EscalationStep {
  readonly allowedBy: readonly StatementName[];
}

/** The calls by which a user becomes an administrator. */
export interface EscalationPath {
  readonly user: string;
  /** In their order; there is no shorter path. */
  readonly steps: readonly ConfirmedStep[];
}

/** The result for all users of a world. A user in none of the lists has no path. */
export interface EscalationReport {
  /** Users who are administrators already. */
  readonly administrators: readonly string[];
  readonly paths: readonly EscalationPath[];
  /** Users whose search ended at a limit of states before it found a path. */
  readonly undecided: readonly string[];
}

const MOST_STEPS = 4;
const MOST_STATES = 2_000;
/** Values of a call that conditions read, by the placeholder of the row. */
const ACTION_FIELDS: readonly (readonly [placeholder: string, field: string])[] = [
  ["userId", "action.user"],
  ["groupId", "action.group"],
  ["policyId", "action.policy"],
];

/** A name that no policy, group or user has a part of. */
function unusedName(world: AccessWorld, prefix: string): string {
  const text = JSON.stringify([[...world.users], [...world.groups], [...world.policies]]);
  let number = 1;
  while (text.includes(`${prefix}-${number}`)) number++;
  return `${prefix}-${number}`;
}

/**
 * Returns the permissions that make an administrator: managing users, groups and policies that no policy names.
 * @param name a user, group and policy that no policy names
 */
export function administration(partition: string, name: string): RequiredPermissions {
  const leaf = (action: string, kind: string): RequiredPermissions => ({
    action: `auth:${action}`,
    resource: `arn:${partition}:auth:::${kind}/${name}`,
  });
  return {
    and: [
      leaf("CreateUser", "user"),
      leaf("CreateCredentials", "user"),
      leaf("AttachPolicy", "user"),
      leaf("AttachPolicy", "group"),
      leaf("AddGroupMember", "group"),
      leaf("CreatePolicy", "policy"),
      leaf("UpdatePolicy", "policy"),
    ],
  };
}

/** Looks at every user of a world. */
export function escalationPaths(world: AccessWorld, options: EscalationOptions): EscalationReport {
  const search = new EscalationSearch(world, options);
  const administrators: string[] = [];
  const paths: EscalationPath[] = [];
  const undecided: string[] = [];
  for (const user of world.users.keys()) {
    const found = search.from(user);
    if (found === "undecided") undecided.push(user);
    else if (found?.steps.length === 0) administrators.push(user);
    else if (found !== undefined) paths.push(found);
  }
  return { administrators, paths, undecided };
}

interface Reached extends EscalationState {
  readonly steps: readonly ConfirmedStep[];
}

class EscalationSearch {
  readonly #world: AccessWorld;
  readonly #options: EscalationOptions;
  readonly #steps: StepOptions;
  readonly #goal: RequiredPermissions;
  /** The policies of the world as it is, by their names. */
  readonly #compiled = new Map<string, CompiledPolicies>();
  readonly #mentioning = new Map<string, (statements: readonly Statement[]) => boolean>();

  constructor(world: AccessWorld, options: EscalationOptions) {
    this.#world = world;
    this.#options = options;
    this.#goal = administration(options.partition, unusedName(world, "escalation-target"));
    this.#steps = {
      aclPolicyName: options.aclPolicyName,
      aclStatements: options.aclStatements,
      newPolicy: unusedName(world, "escalation-policy"),
      newGroup: unusedName(world, "escalation-group"),
      isUseful: remembered(leadsOn),
    };
  }

  /** The shortest path of a user, "undecided" at a limit, undefined where there is none. Breadth first. */
  from(username: string): EscalationPath | "undecided" | undefined {
    const { mostSteps = MOST_STEPS, mostStates = MOST_STATES, isOver = () => false } = this.#options;
    let isCut = false;
    let reached: Reached[] = [{ world: this.#world, user: username, steps: [] }];
    const seen = new Set<string>([keyOf(reached[0] as Reached)]);
    for (let length = 0; length <= mostSteps; length++) {
      const next: Reached[] = [];
      for (const state of reached) {
        // Most users: no step is allowed to them, so that none of those for each policy and group is tried.
        if (!this.#holdsUseful(state)) continue;
        const policies = this.#policiesOf(state);
        if (this.#allows(policies, state.user, this.#goal, new Map()))
          return { user: username, steps: state.steps };
        if (length === mostSteps) continue;
        if (isOver()) return "undecided";
        for (const tried of this.#stepsFrom(state, policies)) {
          const found = this.#take(state, policies, tried);
          if (found === undefined || seen.has(keyOf(found))) continue;
          // What was reached until now is looked at still: it may be the end of a path.
          if (seen.size >= mostStates) {
            isCut = true;
            break;
          }
          seen.add(keyOf(found));
          next.push(found);
        }
      }
      reached = next;
    }
    return isCut ? "undecided" : undefined;
  }

  *#stepsFrom(state: Reached, policies: CompiledPolicies): Generator<TriedStep> {
    yield* stepsFrom(state, this.#steps);
    const { world, user } = state;
    const rights: Rights = {
      may: (operation, values) => this.#may(policies, { operation, as: user, values }),
      mentions: (action) =>
        namesHeldBy(world, user).some((name) => this.#mentions(action)(world.policies.get(name) ?? [])),
    };
    yield* preparingSteps(state, this.#steps, rights);
  }

  /** Tells statements that allow an action somewhere. */
  #mentions(action: string): (statements: readonly Statement[]) => boolean {
    let test = this.#mentioning.get(action);
    if (test === undefined) {
      test = remembered((statements) =>
        statements.some(
          ({ effect, action: patterns }) =>
            effect !== "deny" && patterns.some((pattern) => compileWildcard(pattern).match(action)),
        ),
      );
      this.#mentioning.set(action, test);
    }
    return test;
  }

  #may(policies: CompiledPolicies, call: EscalationStep): boolean {
    const { operation, as, values } = call;
    const required = this.#options.requirement(operation, new Map(Object.entries(values)));
    return required !== null && this.#allows(policies, as, required, this.#fieldsOf(call));
  }

  #holdsUseful({ world, user }: EscalationState): boolean {
    return namesHeldBy(world, user).some((name) => this.#steps.isUseful(world.policies.get(name) ?? []));
  }

  #policiesOf({ world, user }: EscalationState): CompiledPolicies {
    const { partition } = this.#options;
    const options = { partition, evaluator: "extended" } as const;
    if (world !== this.#world) return compile(heldBy(world, user), options);
    const key = JSON.stringify(namesHeldBy(world, user));
    const compiled = this.#compiled.get(key) ?? compile(heldBy(world, user), options);
    this.#compiled.set(key, compiled);
    return compiled;
  }

  #allows(
    policies: CompiledPolicies,
    user: string,
    required: RequiredPermissions,
    fields: ReadonlyMap<string, FieldValue>,
  ): boolean {
    const context = new Map([...(this.#options.context ?? []), ...fields]);
    return decide(policies, { user, required, context }).effect === "allow";
  }

  /** The state behind a step, if the step is allowed. */
  #take(state: Reached, policies: CompiledPolicies, tried: TriedStep): Reached | undefined {
    const { operation, as, values, next } = tried;
    const required = this.#options.requirement(operation, new Map(Object.entries(values)));
    if (required === null) return undefined;
    const fields = this.#fieldsOf(tried);
    if (!this.#allows(policies, as, required, fields)) return undefined;
    const context = new Map([...(this.#options.context ?? []), ...fields]);
    const { determining } = explain(policies, { user: as, required, context });
    const allowedBy = determining.map(({ policy, statement, sid }) =>
      sid === undefined ? { policy, statement } : { policy, statement, sid },
    );
    return { ...next(), steps: [...state.steps, { operation, as, values, allowedBy }] };
  }

  /** The condition fields that the management API gives to a call (spec/security §3.5). */
  #fieldsOf({ operation, values }: EscalationStep): ReadonlyMap<string, FieldValue> {
    const fields = new Map<string, FieldValue>();
    for (const [placeholder, field] of ACTION_FIELDS) {
      const value = values[placeholder];
      if (value !== undefined) fields.set(field, value);
    }
    const made = values["body.id"];
    if (made !== undefined) fields.set(operation === "createGroup" ? "action.group" : "action.policy", made);
    const group = values["groupId"];
    if (operation === "setGroupACL" && group !== undefined)
      fields.set("action.policy", this.#options.aclPolicyName(group));
    return fields;
  }
}

/** The state that steps make: writes on different things may change places, those on the same thing may not. */
function keyOf({ user, steps }: Reached): string {
  const writes = steps
    .filter(({ operation }) => !ACTING_AS.has(operation))
    .map(({ operation, values }) => {
      const target = values["groupId"] ?? values["userId"] ?? values["policyId"] ?? "";
      return [target, operation, JSON.stringify(values)] as const;
    })
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return JSON.stringify([user, writes]);
}

/** Operations that change who is acted as, and nothing else. */
const ACTING_AS: ReadonlySet<string> = new Set(["createCredentials", "createUserExternalPrincipal"]);

/** True for statements that allow some action of the service `auth`: nothing else leads on. */
function leadsOn(statements: readonly Statement[]): boolean {
  return statements.some(
    ({ effect, action }) =>
      effect !== "deny" &&
      action.some((pattern) => AUTH_ACTIONS.some((one) => compileWildcard(pattern).match(one))),
  );
}

/** Actions of the steps and of {@link administration}. */
const AUTH_ACTIONS = [
  "AddGroupMember",
  "AttachPolicy",
  "CreateCredentials",
  "CreateGroup",
  "CreatePolicy",
  "CreateUser",
  "CreateUserExternalPrincipal",
  "DeletePolicy",
  "DetachPolicy",
  "ReadGroup",
  "RemoveGroupMember",
  "UpdatePolicy",
].map((name) => `auth:${name}`);

function remembered(
  test: (statements: readonly Statement[]) => boolean,
): (statements: readonly Statement[]) => boolean {
  const known = new WeakMap<readonly Statement[], boolean>();
  return (statements) => {
    let answer = known.get(statements);
    if (answer === undefined) {
      answer = test(statements);
      known.set(statements, answer);
    }
    return answer;
  };
}
