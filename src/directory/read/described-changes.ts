/**
 * The changes of a commit for people: what was before and what is after, by name, without any secret (spec/decision-log §6.1).
 * Only what is named here is shown: a new kind of record shows nothing until somebody decides what of it is no secret.
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { Commit } from "../../store/port.ts";

/** One thing that a commit changes. */
interface DescribedChange {
  readonly kind:
    | "user"
    | "group"
    | "policy"
    | "membership"
    | "attachment"
    | "access_key"
    | "password"
    | "external_principal"
    | "resource_type"
    | "resource";
  /** Name of the thing; of a membership the user, of an attachment the policy. */
  readonly name: string;
  /** To whom it belongs: `user alice`, `group Analysts`; an internal id where the name is not known. */
  readonly of?: string;
  /** null: there was none. */
  readonly before: object | null;
  /** null: it is removed. */
  readonly after: object | null;
}

/** The changes of a commit, as far as they are shown. */
export interface DescribedChanges {
  readonly changes: readonly DescribedChange[];
  /** Number of changes, if more than shown. */
  readonly total?: number;
}

/** A record that a commit writes, with the value before: undefined for none. */
export interface ChangedRecord {
  readonly partition: string;
  readonly key: string;
  readonly before: string | undefined;
  /** undefined: removed. */
  readonly after: string | undefined;
}

/** Most changes that are described. */
const MOST_CHANGES = 100;
/** Longest value in characters of JSON; of a longer one only its length is shown. */
const LONGEST_VALUE = 64 << 10;

/** Fields of records that are shown as they are. All others are left out. */
const SHOWN: ReadonlyMap<string, readonly [DescribedChange["kind"], readonly string[]]> = new Map([
  ["user", ["user", ["creation_date", "friendly_name", "email", "source", "external_id", "properties"]]],
  ["group", ["group", ["creation_date", "description"]]],
  ["policy", ["policy", ["creation_date", "acl", "statement"]]],
  ["group_user", ["membership", []]],
  ["user_policy", ["attachment", []]],
  ["group_policy", ["attachment", []]],
  ["user_key", ["access_key", ["creation_date", "expires_at", "temporary"]]],
  ["user_principal", ["external_principal", []]],
  ["password", ["password", ["set_at"]]],
  ["resource_type", ["resource_type", ["type", "arn", "id", "actions"]]],
  ["resource", ["resource", ["type", "properties"]]],
]);

/** Returns true for a record that {@link describeChanges} shows. */
export function isDescribed(partition: string): boolean {
  return SHOWN.has(partition);
}

/** Returns the names of the things whose ids are needed to name holders, by partition. */
export function namesTouchedBy({ touched }: Commit): readonly (readonly ["user" | "group", string])[] {
  const { users = [], groups = [] } = touched ?? {};
  const named = [
    ...users.map((name) => ["user", name] as const),
    ...groups.map((name) => ["group", name] as const),
  ];
  return named.slice(0, MOST_CHANGES);
}

/**
 * Describes records that were changed together.
 * @param names of holders by internal id, such as `user alice`
 */
export function describeChanges(
  records: readonly ChangedRecord[],
  names: ReadonlyMap<string, string>,
): DescribedChanges {
  const described = records.filter(
    ({ partition, before, after }) => isDescribed(partition) && before !== after,
  );
  const changes = described.slice(0, MOST_CHANGES).map((record) => describe(record, names));
  return described.length > changes.length ? { changes, total: described.length } : { changes };
}

function describe(record: ChangedRecord, names: ReadonlyMap<string, string>): DescribedChange {
  const { partition, key } = record;
  const [kind, fields] = SHOWN.get(partition) as readonly [DescribedChange["kind"], readonly string[]];
  const slash = key.indexOf("/");
  const isPassword = partition === "password";
  const isOwned = isPassword || (slash >= 0 && OWNED.has(partition));
  const holder = isPassword ? key : isOwned ? key.slice(0, slash) : "";
  const former = parsed(record.before);
  const next = parsed(record.after);
  return {
    kind,
    name: isPassword ? "password" : isOwned || partition === "resource" ? key.slice(slash + 1) : key,
    ...(isOwned && { of: names.get(holder) ?? holder }),
    before: former && shown(former, fields),
    after: next && { ...shown(next, fields), ...passwordNote(partition, former, next) },
  };
}

const OWNED: ReadonlySet<string> = new Set([
  "group_user",
  "user_policy",
  "group_policy",
  "user_key",
  "user_principal",
]);

type Fields = Readonly<Record<string, unknown>>;

function parsed(value: string | undefined): Fields | null {
  return value === undefined ? null : (parseJsonText(value) as Fields);
}

function shown(record: Fields, fields: readonly string[]): Fields {
  const kept = Object.fromEntries(fields.flatMap((name) => (name in record ? [[name, record[name]]] : [])));
  const text = JSON.stringify(kept);
  return text.length <= LONGEST_VALUE ? kept : { omitted_characters: text.length };
}

/** Says that a password was set, and never what it is. */
function passwordNote(partition: string, before: Fields | null, after: Fields): Fields {
  if (partition !== "user" || after["encryptedPassword"] === before?.["encryptedPassword"]) return {};
  return { password: after["encryptedPassword"] === undefined ? "removed" : "set" };
}
