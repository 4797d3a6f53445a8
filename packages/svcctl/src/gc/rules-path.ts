/** Path of the garbage collection policy of a repository. */
export function rulesPath(repository: string): readonly string[] {
  return ["repositories", repository, "settings", "gc_rules"];
}
