/** Policies (spec/authorization-api §7, operations 11 to 15; spec/permissions §12). */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { NewPolicy } from "../../directory/directory.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import { givenByReplacing } from "../management/permissions/escalation.ts";
import { decidedOnNewName } from "../management/permissions/new-names.ts";
import {
  acceptOf,
  faulty,
  type GivenAcceptances,
  type GivenStatements,
  given,
  statementsOf,
} from "../rest/bodies.ts";
import { EXAMPLE_STATEMENT, WARNING_HEADER } from "../rest/declared.ts";
import { one, page } from "../rest/examples.ts";
import { withFieldNames } from "../rest/field-names.ts";
import type { Grant, RestCall } from "../rest/grants.ts";
import { json, param, removed } from "../rest/operation.ts";
import { CREATE, LIST, READ, REMOVE, REPLACE } from "../rest/operation-kinds.ts";
import { FEW_TOGETHER, listReply } from "../rest/pages.ts";
import type { RestParts } from "../rest/parts.ts";
import { writtenPolicyWarnings } from "../rest/policy-warnings.ts";
import type { ResourceOperation, RestHandler } from "./operation.ts";

const POLICIES = "/auth/policies";
const POLICY = `${POLICIES}/{policyId}`;
const TAG = { tag: "policies" } as const;
const MISSING = { missing: "policy not found" } as const;
/** Fields of the directory → fields of the management API. */
const NAMES = new Map([["/name", "/id"]]);
/** The label of a policy that is no access list: what a data server stores (spec/authorization-api §15.9). */
const NO_LABEL = "";
const STATEMENTS = { statement: [EXAMPLE_STATEMENT] };
const WRITTEN = { schema: "PolicyWrite", example: { id: "ReadData", ...STATEMENTS } };

/** The operations. */
export const POLICY_OPERATIONS: readonly ResourceOperation[] = [
  {
    ...LIST,
    ...TAG,
    id: "listPolicies",
    path: POLICIES,
    summary: "List policies",
    description: "All policies with their statements.",
    answer: page("PolicyList", "Policy"),
    errors: [400],
    handler:
      ({ directory: { policies }, shapes }) =>
      (call) =>
        listReply(call, (asked) => policies.list(asked), shapes.policy, FEW_TOGETHER),
  },
  {
    ...CREATE,
    ...TAG,
    id: "createPolicy",
    path: POLICIES,
    summary: "Create a policy",
    description: "The policy has no effect until it is attached to a user or a group.",
    answer: one(201, "Policy", WARNING_HEADER),
    dataServer: {
      body: { schema: "PolicyCreation", example: { name: "ReadData", ...STATEMENTS } },
      names: ({ body }) => ({ policy: (body as GivenPolicy).name }),
    },
    management: {
      body: WRITTEN,
      names: ({ body }) => ({ policy: (body as { readonly id: string }).id }),
      ...decidedOnNewName("Policy"),
    },
    handler: {
      dataServer: create((body: GivenPolicy) => ofDataServer(body, body.name as string)),
      management: create(ofPeople, NAMES),
    },
  },
  {
    ...READ,
    ...TAG,
    id: "getPolicy",
    path: POLICY,
    summary: "Get a policy",
    description: "The statements exactly as they are stored.",
    answer: one(200, "Policy"),
    management: MISSING,
    handler:
      ({ directory: { policies }, shapes }) =>
      async (call) =>
        json(200, shapes.policy(await policies.get(param(call, 0)))),
  },
  {
    ...REPLACE,
    ...TAG,
    id: "updatePolicy",
    path: POLICY,
    summary: "Replace a policy",
    description: "The path names the policy. All its statements are replaced.",
    answer: one(200, "Policy", WARNING_HEADER),
    dataServer: { body: { schema: "PolicyUpdate", example: STATEMENTS } },
    management: {
      description:
        "All its statements are replaced. `authorizer.escalation` compares what it gives with what the caller holds.",
      body: WRITTEN,
      ...MISSING,
    },
    handler: {
      dataServer: (parts) => (call) => updateForDataServer(call, parts),
      management: (parts) => (call) => updateForPeople(call, parts),
    },
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deletePolicy",
    path: POLICY,
    summary: "Delete a policy",
    description: "It is detached from all users and groups.",
    compared: true,
    management: MISSING,
    handler: (parts) => (call) => remove(call, parts),
  },
];

/** The body of a data server's policy, after its shape was validated. */
interface GivenPolicy extends GivenStatements {
  readonly name?: string | null;
  readonly acl?: string | null;
  readonly creation_date?: number | null;
}

function ofDataServer(body: GivenPolicy, name: string): NewPolicy {
  const { acl, creation_date } = body;
  return { name, statement: statementsOf(body), ...given({ acl, creation_date }) };
}

function ofPeople(body: GivenStatements & GivenAcceptances & { readonly id: string }): NewPolicy {
  return { name: body.id, statement: statementsOf(body), acl: NO_LABEL, ...acceptOf(body) };
}

/** @param names fields of the directory → fields of the body */
function create<B>(
  read: (body: B) => NewPolicy,
  names: ReadonlyMap<string, string> = new Map(),
): RestHandler {
  return (parts) => async (call) => {
    const after = await withFieldNames(names, parts.writes.createPolicy(read(call.body as B)));
    parts.audit.wrote(call, "createPolicy", { policy: after.name, after });
    return json(201, parts.shapes.policy(after), writtenPolicyWarnings(call, after, parts));
  };
}

async function updateForDataServer(call: RestCall, parts: RestParts): Promise<Reply> {
  const { policies } = parts.directory;
  const name = param(call, 0);
  const body = call.body as GivenPolicy;
  if ((body.name ?? name) !== name)
    throw faulty("name", "must be the name in the path: policies are not renamed");
  const policy = ofDataServer(body, name);
  // A missing policy is 404 before anything else: writing an ACL falls back to POST on that alone.
  const before = isPossibleName(name) ? await policies.get(name) : undefined;
  const after = await policies.update(policy);
  parts.audit.wrote(call, "updatePolicy", { policy: name, before, after });
  return json(200, parts.shapes.policy(after), writtenPolicyWarnings(call, after, parts));
}

async function updateForPeople(call: RestCall, parts: RestParts): Promise<Reply> {
  const { policies } = parts.directory;
  const name = param(call, 0);
  const policy = ofPeople(call.body as Parameters<typeof ofPeople>[0]);
  if (policy.name !== name) throw new RequestRefused(400, "can't update policy id");
  const before = await policies.get(name);
  const grant: Grant = {
    what: `updating policy ${JSON.stringify(name)}`,
    policies: async () => givenByReplacing([before], policy),
  };
  // What is compared is what is replaced: another policy of the name by then is a conflict.
  const { result: after, warnings } = await parts.escalation.checkGrant(call, grant, () =>
    withFieldNames(NAMES, policies.update(policy, before)),
  );
  parts.audit.wrote(call, "updatePolicy", { policy: name, before, after });
  return json(200, parts.shapes.policy(after), [...warnings, ...writtenPolicyWarnings(call, after, parts)]);
}

async function remove(call: RestCall, { directory, audit, escalation }: RestParts): Promise<Reply> {
  const before = await directory.policies.get(param(call, 0));
  const { warnings } = await escalation.checkRemoval(
    call,
    {
      what: `deleting policy ${JSON.stringify(before.name)}`,
      takes: (name) => name === before.name,
    },
    () => directory.policies.delete(before.name),
  );
  audit.wrote(call, "deletePolicy", { policy: before.name, before });
  return removed(warnings);
}
