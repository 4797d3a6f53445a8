/** Names a statement by its content, so that its use stays with it when statements around it change. */

import { createHash } from "node:crypto";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";

const CHARACTERS = 22;

/** Returns a digest of effect, actions, resource and condition. */
export function statementDigest({ effect, action, resource, condition }: Statement): string {
  const text = JSON.stringify([effect, action, resource, condition ?? null]);
  return createHash("sha256").update(text).digest("base64url").slice(0, CHARACTERS);
}

const known = new WeakMap<CompiledStatement, string>();

/** The same of a compiled statement, made once. */
export function digestOf(compiled: CompiledStatement): string {
  let digest = known.get(compiled);
  if (digest === undefined) {
    const { policy, index } = compiled;
    const stored = policy.statement[index];
    digest = stored === undefined ? "" : statementDigest(stored);
    known.set(compiled, digest);
  }
  return digest;
}
