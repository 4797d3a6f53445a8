/** `POST /auth/apply`: users, groups, policies and what is attached, as documents, in one commit (spec/management-cli §10). */

import type { AppliedChange } from "../../../datasets/apply/applied-plan.ts";
import type { BatchOperation } from "../../../directory/batch.ts";
import { parseStrictJson } from "../../../http/body/strict-json.ts";
import type { Reply } from "../../../http/route.ts";
import { requireNone, SchemaCheck } from "../../../http/schema/schema-check.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { scheduler } from "../../../schedule/scheduler.ts";
import { Turns } from "../../../schedule/turns.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import { writtenPolicyWarnings } from "../../rest/policy-warnings.ts";
import type { AuditedFields } from "../../rest/ports.ts";
import { TextsInTurns } from "../../rest/texts-in-turns.ts";
import { auditingUnknown } from "../../rest/unknown-outcome.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import { type Applied, type ApplyBody, apply } from "./apply.ts";
import { singleCallOf } from "./change-permissions.ts";
import { APPLY_SCHEMAS } from "./schemas.ts";

const EXAMPLE_DOCUMENT = {
  format: 1,
  groups: [{ name: "Readers", policies: ["FSReadAll"] }],
  users: [{ username: "alice", groups: ["Readers"] }],
};

const CHECK = new SchemaCheck(APPLY_SCHEMAS);

/** The operations. */
export const APPLY_OPERATIONS: readonly UserDeclaration[] = [
  {
    access: "user",
    // What documents name has to be read, whatever they change.
    someOf: ["auth:ReadUser", "auth:ReadGroup", "auth:ReadPolicy"],
    priority: "bulk",
    heavy: true,
    method: "POST",
    reads: ({ body }) => (body as ApplyBody | undefined)?.dry_run === true,
    tag: "policies",
    id: "apply",
    path: `${BASE_PATH}/auth/apply`,
    summary: "Apply users, groups and policies as documents",
    description:
      "Compares what the documents of a manager said last time, what they say now, and what is there, and takes the difference away in one commit. Needs the right to read everything that the documents name, and for each change the right that the change needs alone; `authorizer.escalation` compares each change. `dry_run` answers with the difference and writes nothing.",
    body: {
      schema: schemaRef("ApplyRequest"),
      example: { manager: "access", documents: [EXAMPLE_DOCUMENT], dry_run: true },
      parse: parseStrictJson,
      // Values too: no use case has rules for the name of a manager.
      validate: (body: unknown) => requireNone(CHECK.problems("ApplyRequest", body)),
      limit: "bulkBodyBytes",
    },
    answer: answerWith(200, "ApplyAnswer", {
      manager: "access",
      dry_run: true,
      changes: [
        {
          action: "add",
          kind: "membership",
          name: "alice in Readers",
          policies: ["FSReadAll"],
          at: "/documents/0/users/0/groups/0",
        },
      ],
      counts: { add: 1, change: 0, remove: 0, keep: 0 },
      removes_most: false,
      digest: "9f64a747e1b97f131fabb6b447296c9b6f0201e79fb3c5356e6c77e89b6a806a",
      refused: [],
      warnings: [],
    }),
    errors: [403, 409],
    auditsUnknown: true,
    handler: (parts) => (call) => answer(call, parts),
  },
];

async function answer(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const { manager, dry_run: dryRun = false } = call.body as ApplyBody;
  let attempted: Applied | undefined;
  const onAttempt = (made: Applied): void => {
    attempted = made;
  };
  const applied = await auditingUnknown(
    () => apply(call, parts, onAttempt),
    async (outcome) => {
      const count = attempted === undefined ? 0 : await auditAll(call, parts, manager, attempted, outcome);
      if (count === 0) parts.audit.wrote(call, "apply", { manager, ...outcome });
    },
  );
  if (!dryRun) await auditAll(call, parts, manager, applied);
  return { status: 200, body: await answerText(manager, dryRun, applied) };
}

/** The answer as JSON, written in turns with other work: documents may have 100,000 entities. */
async function answerText(manager: string, dryRun: boolean, applied: Applied): Promise<string> {
  const { plan, changes, digest, refused, widening, warnings } = applied;
  const counts = { add: 0, change: 0, remove: 0, keep: 0 };
  for (const { action } of changes) counts[action]++;
  const widened = widening.map(({ at = "", message }) => ({ pointer: at, message }));
  const isWarned = refused.length === 0;
  const members = [
    `"manager":${JSON.stringify(manager)},"dry_run":${dryRun}`,
    `"changes":${await listText(changes, changeBody)}`,
    `"counts":${JSON.stringify(counts)},"removes_most":${plan.removesMost},"digest":"${digest}"`,
    `"refused":${await listText(refused)}`,
    `"warnings":${await listText([...(isWarned ? widened : []), ...warnings])}`,
  ];
  // A text of tens of megabytes takes tens of milliseconds each time that it is put together or measured.
  await scheduler.turn();
  const text = `{${members.join(",")}}`;
  await scheduler.turn();
  return text;
}

async function listText<T>(
  items: readonly T[],
  shape: (item: T) => unknown = (item) => item,
): Promise<string> {
  const texts = new TextsInTurns();
  for (const item of items) await texts.add(shape(item));
  return `[${texts.all.join(",")}]`;
}

function changeBody(change: AppliedChange) {
  const { action, kind, name, fields, before, after, policies, policyCount, drifted, at } = change;
  return {
    action,
    kind,
    name,
    ...(fields !== undefined && { fields }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(policies !== undefined && { policies }),
    ...(policyCount !== undefined && { policy_count: policyCount }),
    ...(drifted && { drifted }),
    ...(at !== undefined && { at }),
  };
}

/**
 * Audits each change as the call that makes it alone (spec/security §5.2), and what widens rights. Returns the number of
 * changes that are audited.
 * @param outcome further fields of the events
 */
async function auditAll(
  call: UserCall,
  parts: ManagementParts,
  manager: string,
  { plan, widening }: Applied,
  outcome: AuditedFields = {},
): Promise<number> {
  await parts.escalation.recordAll(call, widening);
  const turns = new Turns();
  let count = 0;
  for (const change of plan.changes) {
    if (turns.spent) await turns.yield();
    const single = singleCallOf(change);
    const { operation, before, after } = change;
    if (single === undefined || operation === undefined) continue;
    count += 1;
    parts.audit.wrote(call, single.operation, {
      ...namesIn(operation),
      manager,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...outcome,
    });
    warn(call, parts, operation);
  }
  return count;
}

function warn(call: UserCall, parts: ManagementParts, operation: BatchOperation): void {
  if (operation.op !== "put_policy") return;
  const { creation_date = 0, ...policy } = operation.policy;
  writtenPolicyWarnings(call, { ...policy, creation_date }, parts);
}

function namesIn(operation: BatchOperation): Readonly<Record<string, string>> {
  switch (operation.op) {
    case "put_user":
      return { user: operation.user.username };
    case "put_policy":
      return { policy: operation.policy.name };
    case "put_group":
    case "delete_group":
      return { group: operation.name };
    case "delete_policy":
      return { policy: operation.name };
    default: {
      const named = operation as { username?: string; group?: string; policy?: string };
      return Object.fromEntries(
        Object.entries({ user: named.username, group: named.group, policy: named.policy }).filter(
          (entry): entry is [string, string] => typeof entry[1] === "string",
        ),
      );
    }
  }
}
