/** Locations of tables: where those of a branch are, and those behind symbolic links. */

const DBFS = "dbfs:/";

/** Turns a location into another one. */
export type Relocate = (location: string) => string;

/** The location on another branch: `s3://repo/main/t` becomes `s3://repo/branch/t`. */
export function onBranch(location: string, branch: string): string {
  const { scheme, host, ref, path } = partsOf(location);
  if (ref === "")
    throw new Error(`failed to replace branch name with location: '${location}': it names no branch`);
  return `${scheme}://${host}/${branch}/${path}`;
}

/** The location of an external table in a repository: its whole path stands below the branch. */
export function inRepository(location: string, repository: string, branch: string): string {
  const { scheme, ref, path } = partsOf(location);
  return `${scheme}://${repository}/${branch}/${[ref, path].filter((part) => part !== "").join("/")}`;
}

/** The location of symbolic links below a prefix. */
export function ofSymlinks(location: string, prefix: string): string {
  const { host, ref, path } = partsOf(location);
  return `${prefix}/${host}/${ref}/${path}`;
}

/** Puts a root in place of `dbfs:/`. */
export function withoutDbfs(location: string, root: string): string {
  return root !== "" && location.startsWith(DBFS) ? root + location.slice(DBFS.length) : location;
}

function partsOf(location: string): { scheme: string; host: string; ref: string; path: string } {
  const parts =
    /^(?<scheme>[A-Za-z][\w+.-]*):\/\/(?<host>[^/]+)(?:\/+(?<ref>[^/]*)(?:\/(?<path>.*))?)?$/.exec(location);
  const { scheme = "", host = "", ref = "", path = "" } = parts?.groups ?? {};
  if (scheme === "" || host === "") {
    throw new Error(
      `got empty schema or host while parsing location url, location should be schema://host/path: ${location}`,
    );
  }
  return { scheme, host, ref, path };
}
