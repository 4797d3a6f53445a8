/** Exports the directory as a data set. Loading it gives the same state (spec/decision-api §6). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  DATASET_FORMAT,
  type DatasetCredential,
  type DatasetDocument,
  type DatasetGroup,
  type DatasetUser,
} from "@svc-authorizer/policy/model/dataset.ts";
import { MAX_YAML_BYTES } from "@svc-authorizer/policy/source-files/read-document.ts";
import { stringify } from "yaml";
import type { DirectoryState, GroupState, UserState } from "../directory/batch.ts";
import type { Directory } from "../directory/directory.ts";

/** Options of {@link exportDataset}. */
interface ExportOptions {
  readonly format: "json" | "yaml";
  /** Include credentials with their secrets in clear text. Otherwise they are left out. */
  readonly secrets: boolean;
  /** Revision whose state is exported; absent: the newest. Secrets that no present key opens are left out of it. */
  readonly revision?: number;
}

/** An exported data set. */
interface ExportedDataset {
  readonly text: string;
  /** Credentials that were left out. */
  readonly omittedCredentials: number;
  /** Memberships that were left out, because claims of an identity provider made them and may take them back. */
  readonly omittedMemberships: number;
}

/** Removes members that are undefined, an empty list or an empty object. */
function compact<T extends object>(value: T): T {
  const kept = Object.entries(value).filter(
    ([, member]) => member !== undefined && (typeof member !== "object" || Object.keys(member).length > 0),
  );
  return Object.fromEntries(kept) as T;
}

function credentialsOf({ credentials }: UserState): DatasetCredential[] {
  const written: DatasetCredential[] = [];
  for (const [access_key_id, { value }] of credentials) {
    const { secret_access_key, creation_date } = value;
    if (secret_access_key !== undefined) written.push({ access_key_id, secret_access_key, creation_date });
  }
  return written;
}

function exportedUser(state: UserState, secrets: boolean): DatasetUser {
  return compact({
    ...state.user.value,
    groups: [...state.groups].flatMap(([name, { by }]) => (by === undefined ? [name] : [])),
    policies: [...state.policies.keys()],
    credentials: secrets ? credentialsOf(state) : [],
    external_principals: [...state.externalPrincipals.keys()],
  }) as DatasetUser;
}

function exportedGroup({ group, policies }: GroupState): DatasetGroup {
  return compact({ ...group.value, policies: [...policies.keys()] }) as DatasetGroup;
}

function documentOf(state: DirectoryState, secrets: boolean): DatasetDocument {
  const resources = [...state.resources.values()].flatMap((byId) => [...byId.values()]);
  return compact({
    format: DATASET_FORMAT,
    users: [...state.users.values()].map((user) => exportedUser(user, secrets)),
    groups: [...state.groups.values()].map(exportedGroup),
    policies: [...state.policies.values()].map(({ value }) => value),
    resource_types: [...state.resourceTypes.values()].map(({ value }) => value),
    resources: resources.map(({ value }) => compact(value)),
  });
}

function toYaml(document: DatasetDocument): string {
  const text = stringify(document, {
    version: "1.2",
    schema: "core",
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  if (Buffer.byteLength(text) > MAX_YAML_BYTES) throw tooLargeForYaml();
  return text;
}

function tooLargeForYaml(): AuthorizerError {
  return new AuthorizerError(
    "invalid_request",
    "the data set is over 5 MiB as YAML, which is not read back: export JSON",
  );
}

/**
 * Exports users, groups, policies, attachments, declared resource types and registered resources, including
 * preconfigured ones in their present form. Of memberships, those are left out that claims of an identity provider made.
 * @throws AuthorizerError "invalid_request" for YAML over 5 MiB, which `load` would refuse
 */
export async function exportDataset(directory: Directory, options: ExportOptions): Promise<ExportedDataset> {
  const { format, secrets, revision } = options;
  const state = await (revision === undefined
    ? directory.batches.state({ secrets })
    : directory.history.state(revision, { secrets }));
  const document = documentOf(state, secrets);
  const credentials = state.users.values().flatMap((user) => [...user.credentials.values()]);
  const omittedCredentials = credentials
    .filter(({ value }) => !secrets || value.secret_access_key === undefined)
    .reduce((sum) => sum + 1, 0);
  const omittedMemberships = state.users
    .values()
    .flatMap(({ groups }) => groups.values())
    .reduce((sum, { by }) => sum + Number(by !== undefined), 0);
  const omitted = { omittedCredentials, omittedMemberships };
  if (format === "json") return { text: `${JSON.stringify(document, null, 2)}\n`, ...omitted };
  // YAML is slow to write, so a document that is too large even as compact JSON is refused first.
  if (JSON.stringify(document).length > MAX_YAML_BYTES) throw tooLargeForYaml();
  return { text: toYaml(document), ...omitted };
}
