/** URIs of a data server that begin with what was typed: repositories, then branches and tags, then objects. */

import { unlessEmpty } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import type { ApiClient } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import { textField } from "../output/fields.ts";
import type { UriName } from "./completions.ts";

const SCHEME = "svc://";

/** Most names of a list. */
const MOST = 100;

/** The list that the references of a kind are all on. */
const ONLY: Partial<Record<UriName, string>> = { "branch-uri": "branches", "tag-uri": "tags" };

/** Lists the URIs. One that may go on ends with a slash. */
export async function urisThatBeginWith(
  api: ApiClient,
  kind: UriName,
  typed: string,
): Promise<readonly string[]> {
  if (!typed.startsWith(SCHEME)) return SCHEME.startsWith(typed) ? repositories(api, kind, "") : [];
  const [repository = "", ref, ...path] = typed.slice(SCHEME.length).split("/");
  if (ref === undefined) return repositories(api, kind, repository);
  if (kind === "repository-uri") return [];
  const base = `${SCHEME}${repository}/`;
  if (path.length === 0) return refs(api, kind, repository, ref, base);
  if (kind !== "path-uri") return [];
  const call = ["repositories", repository, "refs", ref, "objects", "ls"];
  const query = { prefix: unlessEmpty(path.join("/")), delimiter: "/" };
  return (await names(api, call, query, "path")).map((name) => `${base}${ref}/${name}`);
}

async function repositories(api: ApiClient, kind: UriName, prefix: string): Promise<readonly string[]> {
  const end = kind === "repository-uri" ? "" : "/";
  const found = await names(api, ["repositories"], { prefix: unlessEmpty(prefix) }, "id");
  return found.map((name) => SCHEME + name + end);
}

async function refs(
  api: ApiClient,
  kind: UriName,
  repository: string,
  prefix: string,
  base: string,
): Promise<readonly string[]> {
  const end = kind === "path-uri" ? "/" : "";
  const lists = ["branches", "tags"].filter((list) => ONLY[kind] === undefined || ONLY[kind] === list);
  const found = lists.map((list) =>
    names(api, ["repositories", repository, list], { prefix: unlessEmpty(prefix) }, "id"),
  );
  return (await Promise.all(found)).flat().map((name) => base + name + end);
}

async function names(
  api: ApiClient,
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>>,
  field: string,
): Promise<readonly string[]> {
  const asked = { ...query, amount: MOST };
  const { results } = await api.fetchObject({ method: "GET", path, query: asked, expect: 200 });
  const found = Array.isArray(results) ? results.filter(isObject).map((one) => textField(one, field)) : [];
  // Completion has one word a line, and shells split it at blanks.
  return found.filter((name) => /^[^\s\p{Cc}]+$/u.test(name));
}
