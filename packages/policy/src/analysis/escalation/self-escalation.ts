/** Statements with which a user can get more rights than the policy seems to give (spec/security §3.5). */

import type { Problem } from "../../errors.ts";
import type { NamedStatements } from "../../model/policy.ts";
import { PointSearch, SearchMemory } from "../compare/point-search.ts";
import { type Rule, rulesOf } from "../compare/rules.ts";

/** An action that grants rights, and the resources on which it does. */
interface Way {
  readonly action: string;
  /** Kinds of resource below which it gives them. */
  readonly kinds: readonly string[];
  /** True: on one's own user it does so too. */
  readonly onOneself: boolean;
  readonly how: string;
}

const WAYS: readonly Way[] = [
  {
    action: "auth:AttachPolicy",
    kinds: ["user", "group"],
    onOneself: true,
    how: "attach any policy to oneself or to a group of one's own",
  },
  {
    action: "auth:CreatePolicy",
    kinds: ["policy"],
    onOneself: false,
    how: "create a policy of any content under a name that is attached already",
  },
  {
    action: "auth:UpdatePolicy",
    kinds: ["policy"],
    onOneself: false,
    how: "write any rights into a policy that one has",
  },
  {
    action: "auth:AddGroupMember",
    kinds: ["group"],
    onOneself: false,
    how: "join any group, that of the administrators too",
  },
  {
    action: "auth:CreateCredentials",
    kinds: ["user"],
    onOneself: false,
    how: "create an access key for another user and act as that user",
  },
  {
    action: "auth:CreateUserExternalPrincipal",
    kinds: ["user"],
    onOneself: false,
    how: "make an external identity of one's own act as another user",
  },
  {
    action: "auth:DetachPolicy",
    kinds: ["user", "group"],
    onOneself: true,
    how: "take off a policy that denies something",
  },
  {
    action: "auth:RemoveGroupMember",
    kinds: ["group"],
    onOneself: false,
    how: "leave a group whose policies deny something",
  },
  {
    action: "auth:DeletePolicy",
    kinds: ["policy"],
    onOneself: false,
    how: "delete a policy that denies something",
  },
];
const USER = "someone";

/** The resources that matter: wide ones, and with `onOneself` those that hold `${user}`. */
function wideResources(rule: Rule, onOneself: boolean): string[] {
  return rule.resources.filter((text) => /[*?]/.test(text) || (onOneself && text.includes("${user}")));
}

function ruleFor(action: string, resources: readonly string[]): Rule {
  const nowhere = { policy: "", statement: 0 };
  const always = { key: undefined, condition: undefined, reads: undefined, failure: false };
  return { place: nowhere, deny: false, actions: [action], resources, ...always };
}

/**
 * A warning for each statement that allows to widen one's own rights, unless a deny of the same policy without
 * conditions takes all of it back.
 */
export function selfEscalations(policy: NamedStatements, partition: string): Problem[] {
  const { allows, denies } = rulesOf([policy], partition);
  const barriers = denies.filter(({ key }) => key === undefined);
  const search = new PointSearch(USER, partition, new SearchMemory());
  const own = ruleFor("*", [`arn:${partition}:auth:::user/${USER}`]);
  return allows.flatMap((rule) => {
    const ways = WAYS.filter(({ action, kinds, onOneself }) => {
      const wide = wideResources(rule, onOneself);
      if (wide.length === 0) return false;
      const target = ruleFor(
        action,
        kinds.map((kind) => `arn:${partition}:auth:::${kind}/?*`),
      );
      const outside = onOneself ? barriers : [...barriers, own];
      return search.find([{ ...rule, resources: wide }, target], outside) !== undefined;
    });
    if (ways.length === 0) return [];
    const list = ways.map(({ action, how }) => `${action} (${how})`).join(", ");
    return [{ pointer: `/statement/${rule.place.statement}`, message: `allows self-escalation: ${list}` }];
  });
}
