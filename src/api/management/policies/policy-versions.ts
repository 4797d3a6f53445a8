/** Versions of policies and the history of users, groups and policies (spec/journal §4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parsePosition } from "@svc-authorizer/policy/model/position.ts";
import type {
  DirectoryHistory,
  EntryAbout,
  PastPage,
  PastResults,
  PolicyVersion,
  Thing,
} from "../../../directory/history.ts";
import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import type { Query } from "../../../http/request/query.ts";
import type { Reply } from "../../../http/route.ts";
import { EXAMPLE_STATEMENT, EXAMPLE_TIME, WARNING_HEADER } from "../../rest/declared.ts";
import type { Grant } from "../../rest/grants.ts";
import { BASE_PATH, json, param } from "../../rest/operation.ts";
import { answerWith, answerWithPage } from "../../rest/operation-kinds.ts";
import { pageOf as namedPageOf, pageText } from "../../rest/pages.ts";
import { writtenPolicyWarnings } from "../../rest/policy-warnings.ts";
import { TextsInTurns } from "../../rest/texts-in-turns.ts";
import type { OpenCall, UserCall } from "../call.ts";
import { bodyOf, type ManagementParts, type Named, type UserDeclaration } from "../declaration.ts";
import { givenByReplacing } from "../permissions/escalation.ts";

/** Most entries that one call reads. */
const MOST = 100;
const VERSIONS = `${BASE_PATH}/auth/policies/{policyId}/versions`;
const READ = { access: "permitted", method: "GET", priority: "bulk" } as const;
const ABOUT_POLICY = { tag: "policies", missing: "policy not found" } as const;
const EXAMPLE_POSITION = "1204.h7Gc2xQa.Zk3vT0bR";
const EXAMPLE_ENTRY = {
  revision: 1204,
  position: EXAMPLE_POSITION,
  at: "2026-11-22T08:00:00.000Z",
  actors: ["alice"],
};
const EXAMPLE_VERSION = { ...EXAMPLE_ENTRY, removed: false, statement: [EXAMPLE_STATEMENT] };

/** Query parameters of lists that go back in time. */
const PAST: readonly Parameter[] = [
  {
    name: "after",
    in: "query",
    description: "Only entries older than this one: the `next_offset` of the page before.",
    schema: { type: "string", default: "" },
  },
  {
    name: "amount",
    in: "query",
    description: `Most entries that are read for the page, at most ${MOST}; 0 and -1 mean ${MOST}.`,
    schema: { type: "integer", minimum: -1, maximum: 1000, default: MOST },
  },
];

/** The thing that a history is about. */
const ABOUT: Parameter = {
  name: "about",
  in: "query",
  required: true,
  description: "`user:`, `group:` or `policy:` and a name. Needs the right to read that thing.",
  schema: { type: "string", minLength: 1 },
  example: "user:alice",
};

/** Row of the permission table and placeholder of each kind of thing. */
const ROWS = {
  user: { row: "getUser", placeholder: "userId", field: "action.user" },
  group: { row: "getGroup", placeholder: "groupId", field: "action.group" },
  policy: { row: "getPolicy", placeholder: "policyId", field: "action.policy" },
} as const;

/** The operations. */
export const POLICY_VERSION_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...READ,
    ...ABOUT_POLICY,
    row: "getPolicy",
    id: "listPolicyVersions",
    path: VERSIONS,
    query: PAST,
    summary: "List the versions of a policy",
    description:
      "Newest first, as far back as `authorizer.history.keep`. A page may have fewer versions than `amount`, also none.",
    answer: answerWithPage("PolicyVersionList", EXAMPLE_VERSION),
    errors: [400, 409],
    handler:
      ({ directory: { history } }) =>
      async (call) =>
        pageReply(
          await history.policyVersions(param(call, 0), await pageOf(call.query, history)),
          versionBody,
        ),
  },
  {
    ...READ,
    ...ABOUT_POLICY,
    row: "getPolicy",
    id: "getPolicyVersion",
    path: `${VERSIONS}/{revision}`,
    summary: "Get a version of a policy",
    description:
      "The policy as the entry of this `position` wrote it. A revision alone is taken for what the log has there now.",
    answer: answerWith(200, "PolicyVersion", EXAMPLE_VERSION),
    errors: [400, 404, 409],
    handler:
      ({ directory: { history } }) =>
      async (call) =>
        json(200, versionBody(await history.policyVersion(param(call, 0), param(call, 1)))),
  },
  {
    access: "permitted",
    method: "POST",
    priority: "bulk",
    ...ABOUT_POLICY,
    row: "updatePolicy",
    id: "restorePolicy",
    path: `${BASE_PATH}/auth/policies/{policyId}/restore`,
    summary: "Make a policy what it was",
    description:
      "Replaces its statements by those of a version. `authorizer.escalation` compares what that gives with what the caller holds.",
    body: bodyOf("PolicyRestore", { position: EXAMPLE_POSITION }),
    answer: {
      ...answerWith(200, "Policy", {
        id: "ReadData",
        creation_date: EXAMPLE_TIME,
        statement: [EXAMPLE_STATEMENT],
      }),
      headers: WARNING_HEADER,
    },
    errors: [403, 404, 409],
    names: ({ body }) => ({ from: (body as RestoreBody).position }),
    handler: (parts) => (call) => restore(call, parts),
  },
  {
    ...READ,
    tag: "policies",
    row: (call) => ROWS[thingOf(call).kind].row,
    values: (call) => named(call, "placeholder"),
    fields: (call) => named(call, "field"),
    id: "listHistory",
    path: `${BASE_PATH}/auth/history`,
    query: [ABOUT, ...PAST],
    summary: "List who changed a user, a group or a policy",
    description:
      "Newest first, as far back as `authorizer.history.keep`. `touched` names the kinds of things that were changed together.",
    answer: answerWithPage("HistoryList", { ...EXAMPLE_ENTRY, touched: ["users", "groups"] }),
    errors: [400, 409],
    handler:
      ({ directory: { history } }) =>
      async (call) =>
        pageReply(await history.about(thingOf(call), await pageOf(call.query, history)), entryBody),
  },
];

interface RestoreBody {
  readonly position: string;
}

async function restore(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const { policies, history } = parts.directory;
  const name = param(call, 0);
  const { position } = call.body as RestoreBody;
  if (parsePosition(position)?.log === undefined)
    throw new AuthorizerError("invalid_request", "position: expected that of a version, N.LOG.ENTRY");
  const before = await policies.get(name);
  const { policy: then, partial } = await history.policyVersion(name, position);
  const { acl, statement } = then;
  const { accept } = before;
  const policy = {
    name,
    statement,
    ...(acl !== undefined && { acl }),
    ...(accept !== undefined && { accept }),
  };
  const grant: Grant = {
    what: `restoring version ${position} of policy ${JSON.stringify(name)}`,
    policies: async () => givenByReplacing([before], policy),
  };
  const { result: after, warnings } = await parts.escalation.checkGrant(call, grant, () =>
    policies.update(policy, before, partial),
  );
  parts.audit.wrote(call, "restorePolicy", { policy: name, from: position, before, after });
  const headers = [...warnings, ...writtenPolicyWarnings(call, after, parts)];
  return json(200, parts.shapes.policy(after), headers);
}

function thingOf({ query }: Pick<OpenCall, "query">): Thing {
  const about = query.get("about") ?? "";
  const colon = about.indexOf(":");
  const kind = about.slice(0, Math.max(0, colon));
  const name = about.slice(colon + 1);
  if ((kind === "user" || kind === "group" || kind === "policy") && name !== "") return { kind, name };
  throw new AuthorizerError("invalid_request", "about: expected user:, group: or policy: and a name");
}

function named(call: OpenCall, as: "placeholder" | "field"): Named {
  const { kind, name } = thingOf(call);
  return [[ROWS[kind][as], name]];
}

async function pageOf(query: Query, history: DirectoryHistory): Promise<PastPage> {
  const after = query.get("after") ?? "";
  const amount = Math.min(MOST, namedPageOf(query).amount);
  return { amount, ...(after !== "" && { before: await history.revisionOf(after) }) };
}

async function pageReply<T extends { readonly position: string }>(
  { results, next }: PastResults<T>,
  shape: (item: T) => unknown,
): Promise<Reply> {
  const texts = new TextsInTurns();
  for (const item of results) {
    if (texts.isFullPage) break;
    await texts.add(shape(item));
  }
  const after = texts.count === results.length ? next : results[texts.count - 1]?.position;
  return { status: 200, body: pageText(texts.all, after ?? "", MOST) };
}

function entryBody({ revision, position, at, actors, touched }: EntryAbout) {
  return { revision, position, at, actors, touched };
}

function versionBody({ revision, position, at, actors, policy }: PolicyVersion) {
  return {
    revision,
    position,
    ...(at !== undefined && { at }),
    actors,
    removed: policy === undefined,
    ...(policy !== undefined && { statement: policy.statement }),
  };
}
