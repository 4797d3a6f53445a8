/** A guard around a request listener of `node:http` and `node:https`. */

import { filterAllowed } from "../filter-allowed.ts";
import { type Checker, judge, type Permission } from "./permission.ts";

export { type Checker, filterAllowed, type Permission };

/** The part of `http.ServerResponse` that a refusal needs. */
interface ServerResponseLike {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/**
 * Returns a listener that calls the given one only where the user may do the action on the resource. It answers 401
 * without a user, 403 with the reason of a refusal, 503 where no answer came, and 500 where the application has to be
 * mended.
 */
export function requirePermission<Request, Response extends ServerResponseLike>(
  checker: Checker,
  permission: Permission<Request>,
  listener: (request: Request, response: Response) => unknown,
): (request: Request, response: Response) => Promise<void> {
  return async (request, response) => {
    const verdict = await judge(checker, permission, request);
    if (verdict.status === 200) {
      await listener(request, response);
      return;
    }
    response.writeHead(verdict.status, {
      ...verdict.headers,
      "content-type": "application/json; charset=utf-8",
    });
    response.end(JSON.stringify(verdict.body));
  };
}
