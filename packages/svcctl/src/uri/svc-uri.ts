/** URIs of the data server: `svc://repository[/ref[/path]]`. */

/** The parts of a URI. */
export interface SvcUri {
  readonly repository: string;
  /** A branch, tag or commit, or an expression such as `main~2`; "" where there is none. */
  readonly ref: string;
  /** Undefined where the URI ends with the ref; "" for the root of the ref. */
  readonly path: string | undefined;
}

/** The kinds of URI that commands take. */
export type UriKind = "repository" | "branch" | "ref" | "path";

const FORMS: Readonly<Record<UriKind, string>> = {
  repository: "svc://REPOSITORY",
  branch: "svc://REPOSITORY/BRANCH",
  ref: "svc://REPOSITORY/REF",
  path: "svc://REPOSITORY/REF/PATH",
};
const SCHEME = "svc://";
const REPOSITORY = /^[a-z0-9][a-z0-9-]{2,62}$/;
const BRANCH = /^\w[-\w]*$/;
const REF = /^\S+$/;

/** Thrown for a text that does not name what a command wants. */
class UriFault extends Error {
  override readonly name = "UriFault";
}

/**
 * Reads a URI.
 * @param name how messages call it, such as "branch URI"
 * @param base stands before a text without a scheme (`--base-uri`)
 * @throws UriFault with everything up to the first fault in the order repository, ref, path
 */
export function parseUri(name: string, text: string, kind: UriKind, base: string | undefined): SvcUri {
  const whole = base !== undefined && !text.startsWith(SCHEME) ? joined(base, text) : text;
  const uri = split(whole);
  const fault = uri === undefined ? `malformed svc URI: expected ${FORMS[kind]}` : faultOf(uri, kind);
  if (uri === undefined || fault !== undefined) throw new UriFault(`${name} ${fault}`);
  return uri;
}

/** A relative text goes on where the base ends; between two parts there is a slash. */
function joined(base: string, text: string): string {
  return text === "" || base.endsWith("/") || text.startsWith("/") ? base + text : `${base}/${text}`;
}

/** The URI as text. */
export function uriText({ repository, ref, path }: SvcUri): string {
  if (ref === "") return `${SCHEME}${repository}`;
  return `${SCHEME}${repository}/${ref}${path === undefined ? "" : `/${path}`}`;
}

function split(text: string): SvcUri | undefined {
  const parts = /^svc:\/\/(?<repository>[^/?#@\s]+)(?:\/(?<ref>[^/]*)(?:\/(?<path>[\s\S]*))?)?$/.exec(text);
  if (parts?.groups === undefined) return undefined;
  const { repository = "", ref = "", path } = parts.groups;
  return { repository, ref, path };
}

function faultOf({ repository, ref, path }: SvcUri, kind: UriKind): string | undefined {
  if (!REPOSITORY.test(repository)) {
    return `contains invalid repository name (repo=${repository}): not a valid repo URI`;
  }
  if (kind === "repository") {
    if (ref !== "") return `repository URI includes a ref part (ref=${ref}): not a valid repo URI`;
    return path === undefined
      ? undefined
      : `repository URI includes path part (path=${path}): not a valid repo URI`;
  }
  if (ref === "") return "missing reference part: not a valid ref URI";
  if (!REF.test(ref)) return "contains invalid reference name: not a valid ref URI";
  if (kind === "path") return path === undefined ? "missing path part: not a valid path URI" : undefined;
  if (kind === "ref") {
    return (path ?? "") === ""
      ? undefined
      : `ref URI includes a path part (path=${path}): not a valid ref URI`;
  }
  if (path !== undefined && path !== "" && path !== "/") {
    return "branch URI includes a path part: not a valid branch URI";
  }
  return BRANCH.test(ref) ? undefined : "contains invalid branch name: not a valid branch URI";
}
