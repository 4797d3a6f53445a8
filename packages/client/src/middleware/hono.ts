/** Middleware for Hono, in every runtime that it has. */

import { filterAllowed } from "../filter-allowed.ts";
import { type Checker, judge, type Permission } from "./permission.ts";

export { type Checker, filterAllowed, type Permission };

/**
 * Returns middleware that lets a request go on only where the user may do the action on the resource. The functions of
 * the permission get Hono's context. It answers 401 without a user, 403 with the reason of a refusal, 503 where no
 * answer came, and 500 where the application has to be mended.
 */
export function requirePermission<Context>(
  checker: Checker,
  permission: Permission<Context>,
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (context, next) => {
    const verdict = await judge(checker, permission, context);
    if (verdict.status !== 200) {
      return Response.json(verdict.body, { status: verdict.status, headers: verdict.headers });
    }
    await next();
    return undefined;
  };
}
