import { readFileSync } from "node:fs";
import type { MatchedRequest, UnmatchedRequest, WireRequest } from "../../src/request-map/endpoints.ts";

const FOLDER = new URL("../../fixtures/requests/", import.meta.url);

/** A permission as the data server writes it: with placeholders, and choices by a text. */
export type Permission =
  | { readonly action: string; readonly resource: string }
  | { readonly any_resource: { readonly action: string } }
  | { readonly and: readonly Permission[] }
  | { readonly choice: readonly { readonly when: string; readonly permission: Permission }[] };

/** An operation of the data server, and what its handler checks. */
export interface DataServerOperation {
  readonly operation: string;
  readonly method?: string;
  readonly path?: string;
  /** Of the gateway: method, path and query in one text. */
  readonly request?: string;
  readonly authentication?: "none" | "optional" | "required";
  readonly permission: Permission | null;
  readonly per_item?: { readonly over: string; readonly permission: { action: string; resource: string } };
  readonly per_item_filter?: { readonly action: string; readonly resource: string };
  readonly for_each?: { readonly over: string; readonly add_to_and: readonly Permission[] };
}

/** A file of `fixtures/requests/`. */
export function readFixture(name: string): string {
  return readFileSync(new URL(name, FOLDER), "utf8");
}

/** The objects of a file with one on each line. */
export function readLines<T>(name: string): readonly T[] {
  return readFixture(name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** The permissions that the data server's code checks. */
export const DATA_SERVER = JSON.parse(readFixture("data-server-operations.json")) as {
  readonly base_path: string;
  readonly api: readonly DataServerOperation[];
  readonly gateway: readonly DataServerOperation[];
};

/** The parts of a request that a test cares about. */
export type Asked = Partial<Omit<WireRequest, "header">> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** A GET of the main API, unless told otherwise; a query may stand behind the path. */
export function wireRequest(target: string, { headers = {}, ...asked }: Asked = {}): WireRequest {
  const [path, ...query] = target.split("?");
  return {
    api: "main",
    method: "GET",
    path: path as string,
    query: query.join("?"),
    header: (name) => headers[name],
    ...asked,
  };
}

/** The operation that answers, or why none does. */
export function outcome(answer: MatchedRequest | UnmatchedRequest): string {
  return answer.operation ?? answer.reason;
}

/** The resources of a tree as texts, holes as stars. */
export function withoutSets(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree), (_, value: unknown) => {
    const parts = (value as { parts?: string[] } | null)?.parts;
    return parts === undefined ? value : parts.join("<*>");
  });
}

/** A permission of the data server with the values of a request put in, the naive way; what has none is open. */
export function filled(permission: Permission, values: Readonly<Record<string, string>>): Permission {
  if ("choice" in permission) {
    const listsBranches = values["delimiter"] === "/" && !values["prefix"]?.includes("/");
    return filled(
      (permission.choice[listsBranches ? 0 : 1] as { permission: Permission }).permission,
      values,
    );
  }
  if ("and" in permission) return { and: permission.and.map((child) => filled(child, values)) };
  if ("any_resource" in permission) return permission;
  let { resource } = permission;
  for (const [name, value] of Object.entries(values))
    resource = resource.replaceAll(`{${name}}`, () => value);
  return { ...permission, resource: resource.replaceAll(/\{(query|body|pull_request)\.[^}]*\}/g, "<*>") };
}
