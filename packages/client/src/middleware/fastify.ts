/** A hook for Fastify 4 and 5 (`preHandler`). */

import { filterAllowed } from "../filter-allowed.ts";
import { type Checker, judge, type Permission } from "./permission.ts";

export { type Checker, filterAllowed, type Permission };

/** The part of a Fastify reply that a refusal needs. */
interface ReplyLike {
  code(status: number): ReplyLike;
  headers(values: Record<string, string>): ReplyLike;
  send(body: unknown): unknown;
}

/**
 * Returns a hook that lets a request go on only where the user may do the action on the resource. It answers 401
 * without a user, 403 with the reason of a refusal, 503 where no answer came, and 500 where the application has to be
 * mended.
 */
export function requirePermission<Request>(
  checker: Checker,
  permission: Permission<Request>,
): (request: Request, reply: ReplyLike) => Promise<unknown> {
  return async (request, reply) => {
    const verdict = await judge(checker, permission, request);
    if (verdict.status === 200) return undefined;
    return reply
      .code(verdict.status)
      .headers({ ...verdict.headers })
      .send(verdict.body);
  };
}
