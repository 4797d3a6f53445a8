/** Addresses of the things that have a page. */

import { useLocation, useRoute } from "preact-iso";

/** The address of a user. */
export const userPage = (name: string): string => pageOf("users", name);
/** The address of a group. */
export const groupPage = (name: string): string => pageOf("groups", name);
/** The address of a policy. */
export const policyPage = (name: string): string => pageOf("policies", name);
/** The address of a mirror; names of repositories have nothing that a path may not. */
export const mirrorPage = (source: string, name: string): string =>
  `/mirrors/${encodeURIComponent(source)}/${encodeURIComponent(name)}`;

/** Stands in a path for a name that cannot stand there, and then stands in the query. */
const ELSEWHERE = "-";

/** Names with dots as a segment, or with a backslash, could be read as another path, so the service refuses them there. */
function pageOf(kind: string, name: string): string {
  const isPlain = !name.includes("\\") && !name.split("/").some((part) => part === "." || part === "..");
  return isPlain
    ? `/${kind}/${encodeURIComponent(name)}`
    : `/${kind}/${ELSEWHERE}?${new URLSearchParams({ id: name })}`;
}

/** The name of the thing that the address of this page means. */
export function usePageName(): string {
  const { query } = useLocation();
  const { id = "" } = useRoute().params;
  return id === ELSEWHERE ? (query["id"] ?? id) : id;
}
