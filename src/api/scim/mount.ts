/** Serves the routes of SCIM 2.0 (spec/scim §2). */

import type { Directory } from "../../directory/directory.ts";
import { routeOf } from "../../http/declaration.ts";
import { nothingHere, RequestRefused } from "../../http/errors.ts";
import type { HttpLimits } from "../../http/limits.ts";
import type { HttpCounters } from "../../http/ports.ts";
import { type Api, type Authenticate, type MountedRoute, mount, OPEN_API } from "../../http/route.ts";
import { auditedHandler } from "../rest/unknown-outcome.ts";
import { requireScope, type ServiceCall, type ServiceCaller } from "../service-caller.ts";
import { SCIM_ROUTES } from "./declaration.ts";
import { type ScimParts, wrote } from "./parts.ts";
import { SCIM_PATH } from "./schema/discovery.ts";
import { scimRefusal } from "./scim-error.ts";
import type { Tolerance } from "./tolerance.ts";

const ME = /^\/Me(?:[/?]|$)/;

/** Options of the API. */
export interface ScimOptions extends Pick<ScimParts, "audit" | "publicUrl"> {
  readonly directory: Directory;
  /** True for the name of a group that identity providers may not change (`authorizer.scim.protected_groups`). */
  readonly isProtected: (group: string) => boolean;
  readonly tolerance: Tolerance;
}

/** Mounts the routes for callers that `authenticate` knows. */
export function mountScim(
  { directory, isProtected, tolerance, audit, publicUrl }: ScimOptions,
  serving: {
    readonly authenticate: Authenticate<ServiceCaller>;
    readonly limits: HttpLimits & { readonly bulkBodyBytes?: number };
    readonly counters: HttpCounters;
  },
): readonly MountedRoute[] {
  const parts: ScimParts = {
    provisioning: directory.provisioning(isProtected),
    tolerance,
    audit,
    publicUrl,
  };
  const api: Api<ServiceCaller> = { authenticate: serving.authenticate, refusal: scimRefusal };
  const authorize = ({ caller }: ServiceCall): void => requireScope(caller, "scim");
  const routes = SCIM_ROUTES.map((declaration) => {
    const route = routeOf(declaration, parts, serving.limits);
    if (route.method === "GET") return { ...route, authorize };
    const act: typeof route.handle = (call) =>
      directory.actingFor({ name: call.caller.name }, async () => route.handle(call));
    const { id, path, names } = declaration;
    const handle = auditedHandler(
      { id, path, names: names?.(parts), handle: act },
      (call, operation, fields) => wrote(parts, call, operation, fields),
    );
    return { ...route, authorize, handle };
  });
  return mount(api, routes, serving.counters);
}

/**
 * The answer below the path of the API where there is no resource, as SCIM has it: 404, and 501 for `/Me`, since callers are
 * programs (RFC 7644, section 3.11).
 */
export function scimNothing(counters: HttpCounters): (target: string) => MountedRoute | undefined {
  const refusing = (error: () => Error): MountedRoute => ({
    method: "GET",
    path: SCIM_PATH,
    api: { ...OPEN_API, refusal: scimRefusal },
    meter: counters.route("*", "unmatched"),
    handle: () => {
      throw error();
    },
  });
  const nothing = refusing(nothingHere);
  const me = refusing(() => new RequestRefused(501, "/Me is not supported: the caller is no user"));
  return (target) => {
    if (!target.startsWith(`${SCIM_PATH}/`)) return undefined;
    return ME.test(target.slice(SCIM_PATH.length)) ? me : nothing;
  };
}
