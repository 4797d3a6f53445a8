/** Paths in a configuration: `~`, and relative ones. */
import { join, resolve } from "node:path";
import type { AnyItem } from "../item.ts";

/** The base of relative paths. */
export interface PathBase {
  /** Absolute home folder that `~` stands for. */
  readonly home: string;
  /** Absolute folder of the configuration file, or the working folder. */
  readonly folder: string;
}

/** Characters that make a text a glob. */
const GLOB = /[*?[\]{}()!]/;

/**
 * The absolute path that a text of a path item means. `-` and `=` of an output stay as they are. In a glob the
 * folder in front is escaped, so that its name is taken literally.
 */
export function absolutePath(text: string, kind: NonNullable<AnyItem["path"]>, base: PathBase): string {
  if (text === "" || (kind === "output" && (text === "-" || text === "="))) return text;
  const home = text === "~" || text.startsWith("~/");
  if (kind !== "glob" || !GLOB.test(text)) {
    return home ? join(base.home, text.slice(1)) : resolve(base.folder, text);
  }
  if (text.startsWith("/")) return text;
  return `${escapeGlob(home ? base.home : base.folder)}/${home ? text.slice(2) : text.replace(/^(?:\.\/+)+/, "")}`;
}

function escapeGlob(folder: string): string {
  return folder.replace(/[*?[\]{}()!+@|\\]/g, "\\$&").replace(/\/$/, "");
}
