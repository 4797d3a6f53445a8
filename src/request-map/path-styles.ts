/**
 * The two ways in which a data server reads a path. The data server routes its main API on the encoded path and decodes
 * each parameter, sometimes twice; its gateway decodes the whole path once and then looks for slashes.
 */

import { decodeOnce, isVisibleAscii } from "./percent.ts";
import { Unreadable } from "./unreadable.ts";

/** A way of reading paths. */
export interface PathStyle {
  /** The segments to compare with templates. `bucket` is the first of them if the host names it. */
  split(path: string, bucket: string | undefined): readonly string[] | Unreadable;
  /** The value of a segment that fills a parameter. */
  value(segment: string, what: string): string | Unreadable;
}

/** Rules for every path: origin form, and no character that proxies and servers treat differently. */
function pathProblem(path: string): Unreadable | undefined {
  if (!path.startsWith("/")) return new Unreadable("the path does not begin with a slash");
  if (!isVisibleAscii(path)) return new Unreadable("the path has a character that must be percent-encoded");
  if (/[?#\\]/.test(path)) return new Unreadable("the path has one of ? # \\, which must be percent-encoded");
  return undefined;
}

/**
 * The main and the replication API. Go decodes a path in default encoding once, and then each parameter again in form
 * style: `%61%252Fb` becomes `a%2Fb`, `a%252Fb` becomes `a/b`, and `+` becomes a blank. If there is no raw `+`, and no
 * `%` is left after one decoding, one decoding gives the same result.
 */
export const ROUTER_PATHS: PathStyle = {
  split(path, bucket) {
    if (bucket !== undefined) return new Unreadable("only the gateway has buckets");
    const problem = pathProblem(path);
    if (problem !== undefined) return problem;
    if (path.includes("+")) return new Unreadable("the path has a +, which must be percent-encoded");
    return path.slice(1).split("/");
  },
  value(segment, what) {
    const value = decodeOnce(segment, what);
    if (typeof value === "string" && value.includes("%")) {
      return new Unreadable(`${what} has a % left after decoding it once`);
    }
    return value;
  },
};

/** The gateway decodes the path once and then splits it, so an encoded slash separates too. `+` stays `+`. */
export const GATEWAY_PATHS: PathStyle = {
  split(path, bucket) {
    const decoded = pathProblem(path) ?? decodeOnce(path, "the path");
    if (decoded instanceof Unreadable) return decoded;
    if (bucket?.includes("/")) return new Unreadable("the bucket has a slash");
    const below = decoded.slice(1).split("/");
    const segments = bucket === undefined ? below : [bucket, ...below];
    // `/` has no segment, and SDKs send `/{repository}/` for `/{repository}`.
    if (segments.length <= 2 && segments.at(-1) === "") segments.pop();
    return segments;
  },
  value: (segment) => segment,
};
