/** What the server is and can do (management-cli.md §1, management-cli.md §2). */

import { json, NO_CONTENT } from "../rest/operation.ts";
import type { ManagementOperation } from "./operation.ts";

/** What is told. */
export interface ServerInfoParts {
  /** Version of this package. */
  readonly version: string;
  /** Whether users can be invited by mail. */
  readonly canInvite: boolean;
}

/** The operations. `version_context` stays absent: clients warn of any other than their own. */
export function serverInfoOperations({
  version,
  canInvite,
}: ServerInfoParts): readonly ManagementOperation[] {
  const get = { method: "GET", takesBody: false } as const;
  return [
    { ...get, id: "healthCheck", path: "/healthcheck", access: "open", handle: () => NO_CONTENT },
    {
      ...get,
      id: "getAuthCapabilities",
      path: "/auth/capabilities",
      access: "open",
      handle: () => json(200, { invite_user: canInvite, forgot_password: false }),
    },
    {
      ...get,
      id: "getConfig",
      path: "/config",
      access: "user",
      handle: () => json(200, { version_config: { version }, capabilities_config: {} }),
    },
    {
      ...get,
      id: "getVersion",
      path: "/config/version",
      access: "user",
      handle: () => json(200, { version }),
    },
  ];
}
