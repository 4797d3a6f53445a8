/**
 * A route is declared once: what clients see of it ({@link Described}) and how it is done. The router, the OpenAPI
 * document, the scopes and the validation of bodies are derived from declarations.
 */

import type { HttpLimits } from "./limits.ts";
import type { Described, DescribedBody } from "./openapi/document.ts";
import type { Caller, Route, RouteBody } from "./route.ts";

/** The body of a declared route, and the way to read it. */
interface DeclaredBody extends DescribedBody, Pick<RouteBody, "parse" | "format" | "alsoType" | "validate"> {
  /** The limit that bounds it; default `bodyBytes`. */
  readonly limit?: "bodyBytes" | "bulkBodyBytes";
}

/** A declared route: `P` is what its handler works with, `C` who calls. */
export interface Declaration<P, C extends Caller = Caller>
  extends Described,
    Pick<Route<C>, "priority" | "heavy" | "head" | "reads"> {
  readonly body?: DeclaredBody;
  /** Makes the handler, once per listener. */
  readonly handler: (parts: P) => Route<C>["handle"];
  /** Makes the answer in place of the error "stale". */
  readonly whenStale?: (parts: P) => NonNullable<Route["whenStale"]>;
  /** Makes the handler of bodies in newline-delimited JSON. */
  readonly stream?: (parts: P) => NonNullable<RouteBody["stream"]>;
}

/** The route of a declaration. */
export function routeOf<P, C extends Caller>(
  { method, path, priority, heavy, head, reads, body, handler, stream, whenStale }: Declaration<P, C>,
  parts: P,
  limits: HttpLimits & { readonly bulkBodyBytes?: number },
): Route<C> {
  return {
    method,
    path,
    ...(priority === undefined ? {} : { priority }),
    ...(heavy === undefined ? {} : { heavy }),
    ...(head === undefined ? {} : { head }),
    ...(reads === undefined ? {} : { reads }),
    ...(body === undefined ? {} : { body: bodyOf(body, limits, stream?.(parts)) }),
    ...(whenStale === undefined ? {} : { whenStale: whenStale(parts) }),
    handle: handler(parts),
  };
}

function bodyOf(
  { parse, format, alsoType, validate, limit = "bodyBytes" }: DeclaredBody,
  limits: HttpLimits & { readonly bulkBodyBytes?: number },
  stream: RouteBody["stream"],
): RouteBody {
  return {
    maxBytes: limits[limit] ?? limits.bodyBytes,
    ...(parse === undefined ? {} : { parse }),
    ...(format === undefined ? {} : { format }),
    ...(alsoType === undefined ? {} : { alsoType }),
    ...(validate === undefined ? {} : { validate }),
    ...(stream === undefined ? {} : { stream }),
  };
}
