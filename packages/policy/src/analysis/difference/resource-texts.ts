/** Resources of statements as patterns of one language, so that all of them can be compared (spec/evaluation §3). */

import { USER_PLACEHOLDER } from "../../engine/patterns/resource-pattern.ts";
import { formatArn, parseArn } from "../../model/arn.ts";

/**
 * Stands for the name of any user whose name no policy contains. It is long, so that no `?` stands for it, and overlaps
 * with itself only as a whole.
 */
const USER = `\u{e010}${"\u{e011}".repeat(38)}\u{e012}`;
/** Stand for wildcards in fields where they are ordinary characters. */
const STAR = "\u{e001}";
const ANY = "\u{e002}";
const EVERYTHING = "*";

/**
 * The pattern of a resource: `*`, or `service:account:` and the last field of an ARN; regions are not compared. Undefined
 * for a resource that matches nothing.
 */
export function patternOf(resource: string, partition: string): string | undefined {
  if (resource === EVERYTHING) return EVERYTHING;
  const arn = parseArn(resource.replaceAll(USER_PLACEHOLDER, USER), partition);
  if (arn === undefined) return undefined;
  const plain = (field: string) => field.replaceAll("*", STAR).replaceAll("?", ANY);
  return `${plain(arn.service)}:${plain(arn.account)}:${arn.resource}`;
}

/** The resource of a pattern; the inverse of {@link patternOf} but for the region. */
export function resourceOf(pattern: string, partition: string): string {
  const [, service, account, resource] = /^([^:]+):([^:]*):(.+)$/s.exec(pattern) ?? [];
  if (service === undefined || account === undefined || resource === undefined) return EVERYTHING;
  const arn = formatArn({ partition, service, region: "", account, resource });
  return arn.replaceAll(USER, USER_PLACEHOLDER).replaceAll(STAR, "*").replaceAll(ANY, "?");
}
