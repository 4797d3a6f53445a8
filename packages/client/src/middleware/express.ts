/** Middleware for Express 4 and 5, and for whatever else takes `(request, response, next)`. */

import { filterAllowed } from "../filter-allowed.ts";
import { type Checker, judge, type Permission } from "./permission.ts";

export { type Checker, filterAllowed, type Permission };

/** The part of an Express response that a refusal needs. */
interface ResponseLike {
  status(code: number): ResponseLike;
  set(headers: Record<string, string>): ResponseLike;
  json(body: unknown): unknown;
}

/**
 * Returns middleware that lets a request go on only where the user may do the action on the resource. It answers 401
 * without a user, 403 with the reason of a refusal, 503 where no answer came, and 500 where the application has to be
 * mended; it never calls `next` with an error.
 */
export function requirePermission<Request>(
  checker: Checker,
  permission: Permission<Request>,
): (request: Request, response: ResponseLike, next: () => void) => Promise<void> {
  return async (request, response, next) => {
    const verdict = await judge(checker, permission, request);
    if (verdict.status === 200) next();
    else
      response
        .status(verdict.status)
        .set({ ...verdict.headers })
        .json(verdict.body);
  };
}
