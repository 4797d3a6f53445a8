import type { SvcUri } from "../../uri/svc-uri.ts";

/** The path of an object, from one below the linked path. */
export function remotePath({ path = "" }: SvcUri, below: string): string {
  const base = path.replace(/\/+$/, "");
  return base === "" ? below : `${base}/${below}`;
}
