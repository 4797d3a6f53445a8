/** The part of `--base-uri` that stands for an argument that is left out. */

const PARTS = /^svc:\/\/(?<repository>[^/?#@\s]+)(?:\/(?<ref>[^/]+)(?:\/(?<path>[\s\S]*))?)?\/?$/;

/**
 * Returns the URI for an argument that was left out; undefined where the base does not have what the argument names.
 * @param argument its name in the help, such as `branch-uri`
 */
export function baseFor(argument: string, base: string): string | undefined {
  const { repository, ref, path = "" } = PARTS.exec(base)?.groups ?? {};
  if (repository === undefined) return undefined;
  if (/^repository-uri$/.test(argument)) return `svc://${repository}`;
  if (ref === undefined) return undefined;
  if (/^(branch|ref|commit|tag)-uri$/.test(argument)) return `svc://${repository}/${ref}`;
  return argument === "path-uri" ? `svc://${repository}/${ref}/${path}` : undefined;
}
