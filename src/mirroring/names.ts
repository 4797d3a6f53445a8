/** Names of repositories and storage namespaces, as data servers take them. */

/** Names of repositories. */
export const REPOSITORY = /^[a-z0-9][a-z0-9-]{2,62}$/;
const NAMESPACE = /^[a-z][a-z0-9+.-]*:\/\/[^\s?#\\]+$/;
/** Signs that mean more than themselves in the policy that closes a mirror's namespace to others. */
const PATTERN_SIGNS = /[*$]/;
const LONGEST_NAMESPACE = 1_000;

/** True for a name that a repository may have. */
export function isRepositoryName(name: string): boolean {
  return REPOSITORY.test(name);
}

/** The fault of a storage namespace; undefined for a good one. */
export function namespaceProblem(namespace: string): string | undefined {
  if (namespace.length > LONGEST_NAMESPACE) return `must have at most ${LONGEST_NAMESPACE} characters`;
  if (!NAMESPACE.test(namespace)) return "must be a URL such as s3://bucket/path";
  if (PATTERN_SIGNS.test(namespace)) return "must have no * and no $";
  if (segmentsOf(namespace).some((one) => one === "." || one === ".." || one === ""))
    return "must have no empty segments, and none that are . or ..";
  return undefined;
}

/** The scheme of a namespace, in lower case: `s3`. */
export function schemeOf(namespace: string): string {
  return namespace.slice(0, namespace.indexOf("://")).toLowerCase();
}

/** True where two namespaces are the same, or one is inside the other. */
export function overlaps(one: string, other: string): boolean {
  const [left, right] = [segmentsOf(one), segmentsOf(other)];
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  return short.every((segment, at) => segment === long[at]);
}

/** The scheme and the segments behind it; slashes at the end do not count. */
function segmentsOf(namespace: string): readonly string[] {
  const [scheme = "", rest = ""] = namespace.split("://");
  return [scheme, ...rest.replace(/\/+$/, "").split("/")];
}
