/** Access lists of groups (spec/management-cli §3, "groups acl"), as a data server keeps them: one labelled policy. */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { NamedStatements, Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { BatchOperation } from "../../../directory/batch.ts";
import type { Directory } from "../../../directory/directory.ts";
import { failure } from "../../../http/openapi/failures.ts";
import type { Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { faulty } from "../../rest/bodies.ts";
import { WARNING_HEADER } from "../../rest/declared.ts";
import type { Grant } from "../../rest/grants.ts";
import { BASE_PATH, created, json, param } from "../../rest/operation.ts";
import { answerWith, CREATE, READ } from "../../rest/operation-kinds.ts";
import type { OpenCall, UserCall } from "../call.ts";
import { bodyOf, type ManagementParts, type UserDeclaration } from "../declaration.ts";
import { givenByReplacing } from "../permissions/escalation.ts";

const ACL = `${BASE_PATH}/auth/groups/{groupId}/acl`;
const TAG = { tag: "groups", access: "permitted" } as const;
/** Decided on the policy that holds the access list, too. */
const ON_POLICY = {
  fields: (call: OpenCall, { acls }: Pick<ManagementParts, "acls">) => [
    ["action.policy", acls.policyName(param(call, 0))] as const,
  ],
};

/** The operations. */
export const ACL_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...READ,
    ...TAG,
    ...ON_POLICY,
    id: "getGroupACL",
    path: ACL,
    summary: "Get the access list of a group",
    description: "A group without a policy has an empty access list, which allows nothing.",
    answer: answerWith(200, "Acl", { permission: "Read" }),
    errors: [],
    failures: { 404: failure("The group does not exist, or has no access list.", {}, schemaRef("NoAcl")) },
    handler: (parts) => (call) => read(call, parts),
  },
  {
    ...CREATE,
    ...TAG,
    ...ON_POLICY,
    id: "setGroupACL",
    path: ACL,
    summary: "Set the access list of a group",
    description: "Takes the place of all policies that are attached to the group.",
    body: bodyOf("AclWrite", { permission: "Write" }),
    answer: { status: 201, description: "Done.", headers: WARNING_HEADER },
    errors: [403, 404],
    names: (call, { acls }) => ({
      policy: acls.policyName(param(call, 0)),
      after: (call.body as { readonly permission: string }).permission,
    }),
    handler: (parts) => (call) => write(call, parts),
  },
];

function noAcl(message: string): Reply {
  return json(404, { message, no_acl: true });
}

/** A group without a policy has an empty access list, which allows nothing. */
async function read(call: UserCall, { directory }: ManagementParts): Promise<Reply> {
  const { results } = await directory.groups.policies(param(call, 0), { amount: 2 });
  if (results.length > 1) return noAcl("Multiple policies attached to group - no ACL");
  const [policy] = results;
  if (policy === undefined) return json(200, { permission: "" });
  if ((policy.acl ?? "") === "") return noAcl("Policy attached to group has no ACL");
  return json(200, { permission: policy.acl });
}

/** The policy that is written over, if there is one: it may be attached elsewhere. */
async function replaced(directory: Directory, name: string): Promise<readonly Policy[]> {
  try {
    return [await directory.policies.get(name)];
  } catch (error) {
    if (isErrorCode(error, "not_found")) return [];
    throw error;
  }
}

/** Writes the policy, attaches it and detaches all others, in one step. */
async function write(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const { directory, acls, audit, escalation, holdings } = parts;
  const group = param(call, 0);
  const { permission } = call.body as { readonly permission: string };
  const statement = acls.statements(permission);
  if (statement === undefined) {
    throw faulty("permission", `must be one of ${acls.permissions.join(", ")}`);
  }
  const name = acls.policyName(group);
  const policy = { name, acl: permission, statement };
  const { name: known } = await directory.groups.get(group);
  const before = await holdings.ofGroup(known);
  const grant: Grant = {
    what: `setting the access list of group ${JSON.stringify(group)}`,
    policies: async () => givenByReplacing([...before, ...(await replaced(directory, name))], policy),
  };
  const operations: readonly BatchOperation[] = [
    { op: "put_policy", policy },
    ...before
      .filter((attached) => attached.name !== name)
      .map((attached) => ({ op: "detach_from_group", group, policy: attached.name }) as const),
    { op: "attach_to_group", group, policy: name },
  ];
  const { warnings } = await escalation.checkGrant(call, grant, () =>
    directory.alsoJudged(
      async (state) => {
        // A deny that was attached in the meantime would be detached without having been compared.
        if (JSON.stringify(namesOf(await state.groupPolicies(group))) !== JSON.stringify(namesOf(before))) {
          throw new AuthorizerError(
            "conflict",
            "the policies of the group were changed in the meantime, try again",
          );
        }
      },
      () => directory.batches.apply(operations, { managed: false }),
    ),
  );
  audit.wrote(call, "setGroupACL", {
    group,
    policy: name,
    before: before.map((attached) => attached.name),
    after: permission,
  });
  return created(warnings);
}

/** The policies without the marks of their records, to be compared. */
function namesOf(policies: readonly NamedStatements[]): readonly NamedStatements[] {
  return policies.map(({ name, statement }) => ({ name, statement }));
}
