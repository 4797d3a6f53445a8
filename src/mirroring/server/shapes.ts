/** Reads the data server's JSON: nothing in it is believed before its type was seen. */

import type { LoggedCommit } from "../logged-commit.ts";
import { schemeOf } from "../names.ts";
import { type BranchHead, CallFailed, type ListedRepository, type RepositoryFacts } from "../ports.ts";

type Json = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw malformed("an object");
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw malformed("a text");
}

function wholeNumber(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw malformed("a whole number");
}

function malformed(what: string): CallFailed {
  return new CallFailed(
    `the data server's answer has something else in the place of ${what}`,
    undefined,
    false,
  );
}

/** Texts by name. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(value ?? {}));
  return Object.fromEntries(entries.map(([name, one]) => [name, textOf(one)]));
}

/** A repository. An absent `read_only` is false. */
export function repositoryOf(value: unknown): RepositoryFacts {
  const json = objectOf(value);
  return {
    createdAt: wholeNumber(json["creation_date"]),
    storageNamespace: textOf(json["storage_namespace"]),
    defaultBranch: textOf(json["default_branch"]),
    readOnly: json["read_only"] === true,
  };
}

/** A repository of a list. */
export function listedOf(value: unknown): ListedRepository {
  const json = objectOf(value);
  return { name: textOf(json["id"]), storageNamespace: textOf(json["storage_namespace"]) };
}

/**
 * Schemes of storage namespaces of a server's configuration, of each of its stores; undefined where it tells none. They are
 * taken from the examples that it has for people: a pattern from elsewhere is nothing to run here.
 */
export function schemesOf(value: unknown): ReadonlySet<string> | undefined {
  const { storage_config: one, storage_config_list: several } = objectOf(value);
  const examples = [one, ...(Array.isArray(several) ? several : [])].map((store) => {
    const example = objectOf(store ?? {})["blockstore_namespace_example"];
    return typeof example === "string" ? schemeOf(example) : "";
  });
  const schemes = new Set(examples.filter((scheme) => scheme !== ""));
  // A store whose namespaces are addresses of the web takes both.
  if (schemes.has("https")) schemes.add("http");
  return schemes.size === 0 ? undefined : schemes;
}

/** A branch. */
export function branchOf(value: unknown): BranchHead {
  const json = objectOf(value);
  return { name: textOf(json["id"]), commit: textOf(json["commit_id"]) };
}

/** A commit of a log. */
export function commitOf(value: unknown): LoggedCommit {
  const json = objectOf(value);
  const parents: unknown = json["parents"] ?? [];
  if (!Array.isArray(parents)) throw malformed("a list");
  return {
    id: textOf(json["id"]),
    committer: textOf(json["committer"]),
    message: textOf(json["message"]),
    metaRangeId: textOf(json["meta_range_id"]),
    creationDate: wholeNumber(json["creation_date"]),
    parents: parents.map(textOf),
    metadata: textsOf(json["metadata"]),
    generation: wholeNumber(json["generation"] ?? 0),
    version: wholeNumber(json["version"] ?? 0),
  };
}

/** A page of a list. */
interface Page {
  readonly results: readonly unknown[];
  /** Beginning of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** Reads a page. A list that says that it goes on and not where is an error, not an end. */
export function pageOf(value: unknown): Page {
  const { results, pagination } = objectOf(value);
  if (!Array.isArray(results)) throw malformed("a list");
  const { has_more: hasMore, next_offset: next } = objectOf(pagination);
  if (typeof hasMore !== "boolean") throw malformed("true or false");
  if (!hasMore) return { results, next: undefined };
  if (typeof next !== "string" || next === "") throw malformed("the next page");
  return { results, next };
}
