/** `/service/replication/v1`: mirrors of repositories (spec/mirroring §9). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { requireObject } from "../../../http/body/json-body.ts";
import { RequestRefused } from "../../../http/errors.ts";
import type { Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import type { Mirror } from "../../../mirroring/mirror.ts";
import { EXAMPLE_TIME } from "../../rest/declared.ts";
import { json, NO_CONTENT, param } from "../../rest/operation.ts";
import {
  answerWith,
  answerWithPage,
  CREATE,
  LIST,
  READ,
  REMOVE,
  REPLACE,
} from "../../rest/operation-kinds.ts";
import { pageOf, pageText } from "../../rest/pages.ts";
import type { OpenCall, UserCall } from "../call.ts";
import { bodyOf, type ManagementParts, type UserDeclaration } from "../declaration.ts";
import { OwnText } from "../errors.ts";
import { mirrorBody } from "./mirror-body.ts";
import type { Mirrors } from "./ports.ts";

const MIRRORS = "/service/replication/v1/repositories/{source_repo}/mirrors";
const ALL = "/service/replication/v1/mirrors";
const ONE = `${MIRRORS}/{mirror_id}`;
// Deleting a mirror is the way out of what makes it read-only.
const TAG = { tag: "mirrors", access: "permitted", managesMirrors: true } as const;

/** Heads of each mirror of a list. */
const LISTED_HEADS = 10;
const FEW_HEADS = `Of each at most ${LISTED_HEADS} heads, those that wait first.`;

const EXAMPLE = {
  id: "sales-west",
  name: "sales-west",
  region: "west",
  source_repository: "sales",
  storage_namespace: "s3://sales-west/data",
  default_branch: "main",
  state: "syncing",
  reason: "the store has not replicated everything: orders/2026.parquet of 3f9c2a7b",
  write_protection: "enforced",
  created_at: EXAMPLE_TIME,
  created_by: "admin",
  branches: { include: [], exclude: ["tmp-*"] },
  progress: {
    branches: 1,
    commits_recorded: 1204,
    commits_pending: 1,
    oldest_pending_at: EXAMPLE_TIME,
    objects_missing: 1,
    objects_gone_at_source: 0,
    external_objects: 0,
    lag_seconds: 12,
    acted_at: EXAMPLE_TIME,
  },
  heads: [{ branch: "main", source: "3f9c2a7b", mirror: "81d01a44", since: EXAMPLE_TIME }],
};

const CREATION = { name: "sales-west", region: "west", storage_namespace: "s3://sales-west/data" };

interface Creation {
  readonly name: string;
  readonly region: string;
  readonly storage_namespace: string;
}

/** Names of what a call writes, for the audit. */
function named(call: UserCall) {
  const [source, mirror = (call.body as Creation | undefined)?.name] = call.params;
  return { source_repository: source, mirror };
}

/** The operations; they are served where `authorizer.mirroring.regions` names a region. */
export const MIRROR_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...CREATE,
    ...TAG,
    id: "createMirror",
    path: MIRRORS,
    summary: "Create a mirror of a repository in a region",
    description:
      "Looks at both data servers and answers at once; the mirror is created and filled in the background. The object store has to replicate the source's namespace to that of the mirror.",
    body: bodyOf("MirrorCreation", CREATION),
    answer: answerWith(201, "Mirror", { ...EXAMPLE, state: "creating", reason: "" }),
    errors: [404, 409],
    values: (call) => {
      const { name, storage_namespace } = creationOf(call);
      return [
        ["body.name", name],
        ["body.storage_namespace", storage_namespace],
      ];
    },
    names: named,
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...LIST,
    ...TAG,
    id: "listMirrors",
    path: MIRRORS,
    summary: "List the mirrors of a repository",
    description: `In UTF-8 byte order of their names, in every region. ${FEW_HEADS}`,
    answer: answerWithPage("MirrorList", EXAMPLE),
    handler: (parts) => (call) => list(call, parts, (mirrors) => mirrors.list(param(call, 0))),
  },
  {
    ...LIST,
    ...TAG,
    id: "listAllMirrors",
    row: "listMirrors",
    path: ALL,
    summary: "List the mirrors of all repositories",
    description: `In UTF-8 byte order of their names, in every region. ${FEW_HEADS}`,
    answer: answerWithPage("MirrorList", EXAMPLE),
    handler: (parts) => (call) => list(call, parts, (mirrors) => mirrors.all()),
  },
  {
    ...READ,
    ...TAG,
    id: "getMirror",
    path: ONE,
    summary: "Get a mirror",
    description: "Its state, its progress and its branches, as the newest pass over it found them.",
    answer: answerWith(200, "Mirror", EXAMPLE),
    handler: (parts) => async (call) =>
      json(200, mirrorBody(await told(() => mirrorsOf(parts).get(param(call, 0), param(call, 1))))),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteMirror",
    path: ONE,
    summary: "Delete a mirror",
    description:
      "Deletes its repository at the region's data server; what the object store has stays. 202 while the region does not answer: the state is `deleting`, and it is deleted later. The name is free a minute after the mirror is gone.",
    query: [
      {
        name: "forget",
        in: "query",
        description: "`true`: only the record is removed, for a region that is lost.",
        schema: { type: "boolean", default: false },
      },
    ],
    failures: {
      202: { description: "It will be deleted once the region answers.", content: deletion() },
    },
    errors: [400, 404],
    names: named,
    handler: (parts) => (call) => remove(call, parts),
  },
  {
    ...REPLACE,
    ...TAG,
    id: "editMirroredBranches",
    path: `${ONE}/branches`,
    summary: "Choose the branches of a mirror",
    description:
      "Replaces both lists of patterns. The default branch must be mirrored. A branch that is not mirrored any more is deleted on the mirror.",
    body: bodyOf("MirrorBranches", { include: [], exclude: ["tmp-*"] }),
    answer: answerWith(200, "Mirror", EXAMPLE),
    errors: [404, 409],
    names: named,
    handler: (parts) => (call) => setBranches(call, parts),
  },
];

function deletion() {
  return { "application/json": { schema: schemaRef("MirrorDeletion"), example: { state: "deleting" } } };
}

/** The body of a creation, which may not have been checked yet; what is no text is "", which no field may be. */
function creationOf({ body }: UserCall | OpenCall): Creation {
  const { name, region, storage_namespace } = requireObject(body);
  return { name: textOf(name), region: textOf(region), storage_namespace: textOf(storage_namespace) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

async function create(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const source = param(call, 0);
  const { name, region, storage_namespace: storageNamespace } = creationOf(call);
  const actor = call.caller.name;
  const made = await told(() => mirrorsOf(parts).create({ source, name, region, storageNamespace, actor }));
  const after = { region, storage_namespace: storageNamespace };
  parts.audit.wrote(call, "createMirror", { ...named(call), after });
  const location = `${MIRRORS.replace("{source_repo}", encodeURIComponent(source))}/${encodeURIComponent(name)}`;
  return json(201, mirrorBody(made), ["Location", location]);
}

async function list(
  call: UserCall,
  parts: ManagementParts,
  listed: (mirrors: Mirrors) => Promise<readonly Mirror[]>,
): Promise<Reply> {
  const mirrors = mirrorsOf(parts);
  const { prefix, search, after, amount } = pageOf(call.query);
  const found = (await told(() => listed(mirrors))).filter(
    ({ name }) =>
      name.startsWith(prefix) &&
      name.includes(search.toLowerCase()) &&
      (after === "" || compareUtf8(name, after) > 0),
  );
  const page = await Promise.all(found.slice(0, amount).map((mirror) => mirrors.show(mirror)));
  const next = found.length > page.length ? (page.at(-1)?.mirror.name ?? "") : "";
  return {
    status: 200,
    body: pageText(
      page.map((one) => JSON.stringify(mirrorBody(one, LISTED_HEADS))),
      next,
    ),
  };
}

async function remove(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const [source, name] = [param(call, 0), param(call, 1)];
  const given = call.query.get("forget") ?? "false";
  if (given !== "true" && given !== "false") throw new RequestRefused(400, "forget: must be true or false");
  const forget = given === "true";
  const isGone = await told(() => mirrorsOf(parts).delete(source, name, forget, call.caller.name));
  parts.audit.wrote(call, "deleteMirror", { ...named(call), ...(forget && { forget }) });
  return isGone ? NO_CONTENT : json(202, { state: "deleting" });
}

async function setBranches(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const [source, name] = [param(call, 0), param(call, 1)];
  const { include, exclude } = call.body as {
    readonly include?: readonly string[] | null;
    readonly exclude?: readonly string[] | null;
  };
  const branches = { include: include ?? [], exclude: exclude ?? [] };
  const shown = await told(() => mirrorsOf(parts).setBranches(source, name, branches, call.caller.name));
  parts.audit.wrote(call, "editMirroredBranches", { ...named(call), after: branches });
  return json(200, mirrorBody(shown));
}

function mirrorsOf({ mirrors }: ManagementParts): Mirrors {
  if (mirrors !== undefined) return mirrors;
  throw new AuthorizerError("internal", "the operation is served without mirrors");
}

/** Runs a use case whose errors say more than the API's own texts. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AuthorizerError)) throw error;
    if (!["not_found", "already_exists", "unavailable"].includes(error.code)) throw error;
    const { code, message, retryAfterSeconds } = error;
    throw new OwnText(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  }
}
