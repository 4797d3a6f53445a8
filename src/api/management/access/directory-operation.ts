/** `GET /auth/access/directory`: who held what, now or at a revision, for comparisons (spec/decision-log §4.1). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { DirectoryState } from "../../../directory/batch.ts";
import { RequestRefused } from "../../../http/errors.ts";
import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import type { Query } from "../../../http/request/query.ts";
import type { Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import type { UserDeclaration } from "../declaration.ts";

/** Entities between two looks at the clock. */
const PIECE = 200;

const REVISION: Parameter = {
  name: "revision",
  in: "query",
  description:
    "Position (`N.LOG.ENTRY`) or revision whose state is wanted; by default the newest. 409 where the log has lost the entry of a position.",
  schema: { type: "string", pattern: "^[0-9]{1,15}(\\.[A-Za-z0-9_-]{8}){0,2}$" },
  example: "41.h7Gc2xQa.Zk3vT0bR",
};

/** The operation. */
export const DIRECTORY_OPERATION: UserDeclaration = {
  access: "permitted",
  permission: { action: "auth:ReadDecisions", resource: "*" },
  method: "GET",
  priority: "bulk",
  tag: "access",
  id: "accessDirectory",
  path: `${BASE_PATH}/auth/access/directory`,
  summary: "Get who holds what",
  description:
    "Users and groups with their attachments, and all policies, as a data set, at a revision of the directory. Without names of people, passwords and keys. 410 if that state is no longer kept.",
  query: [REVISION],
  answer: {
    status: 200,
    description: "A data set.",
    schema: schemaRef("AccessDirectory"),
    example: {
      format: 1,
      users: [{ username: "alice", groups: ["Analysts"], policies: [] }],
      groups: [{ name: "Analysts", policies: ["ReadData"] }],
      policies: [
        {
          name: "ReadData",
          statement: [
            {
              effect: "allow",
              action: ["fs:ReadObject"],
              resource: "arn:svc:fs:::repository/data/object/*",
            },
          ],
        },
      ],
    },
  },
  errors: [400, 409, 410],
  handler:
    ({ directory }) =>
    async ({ query }): Promise<Reply> => {
      const revision = revisionOf(query);
      try {
        const state = await (revision === undefined
          ? directory.batches.state({ secrets: false })
          : directory.history.stateAt(revision, { secrets: false }));
        return { status: 200, body: await textOf(state) };
      } catch (error) {
        if (revision === undefined || !isErrorCode(error, "not_found")) throw error;
        throw new RequestRefused(410, error.message, [], "not_found");
      }
    },
};

function revisionOf(query: Query): string | undefined {
  return query.get(REVISION.name) || undefined;
}

/** The data set, made in turns with other work. */
async function textOf(state: DirectoryState): Promise<string> {
  const users = await listOf(state.users.values(), ({ user, groups, policies }) => ({
    username: user.value.username,
    ...(user.value.inactive === true && { inactive: true }),
    groups: [...groups.keys()],
    policies: [...policies.keys()],
  }));
  const groups = await listOf(state.groups.values(), ({ group, policies }) => ({
    name: group.value.name,
    policies: [...policies.keys()],
  }));
  const policies = await listOf(state.policies.values(), ({ value: { name, statement } }) => ({
    name,
    statement,
  }));
  return `{"format":1,"users":${users},"groups":${groups},"policies":${policies}}`;
}

async function listOf<T>(values: Iterable<T>, shown: (value: T) => object): Promise<string> {
  const pieces: string[] = [];
  let piece: object[] = [];
  for (const value of values) {
    piece.push(shown(value));
    if (piece.length < PIECE) continue;
    pieces.push(JSON.stringify(piece).slice(1, -1));
    piece = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (piece.length > 0) pieces.push(JSON.stringify(piece).slice(1, -1));
  return `[${pieces.join(",")}]`;
}
