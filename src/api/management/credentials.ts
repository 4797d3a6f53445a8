/** Access keys in the management API (permissions.md §12). */

import type { Directory } from "../../directory/directory.ts";
import type { Reply } from "../../http/route.ts";
import { json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { credentialBody } from "../rest/shapes.ts";
import type { Escalation } from "./escalation.ts";
import type { Holdings } from "./holdings.ts";
import type { ManagementAudit } from "./management-audit.ts";
import { permitted, type UserCall, type UserOperation } from "./operation.ts";
import { secretBody } from "./shapes.ts";

const OF_USER = "/auth/users/{userId}/credentials";
const ONE = `${OF_USER}/{accessKeyId}`;
const MISSING = { missing: "credentials not found" };

/** What the operations on access keys need. */
export interface CredentialParts {
  readonly directory: Directory;
  readonly audit: ManagementAudit;
  readonly escalation: Escalation;
  readonly holdings: Holdings;
}

/** The operations. */
export function credentialOperations(parts: CredentialParts): readonly UserOperation[] {
  const { credentials } = parts.directory;
  return [
    permitted("listUserCredentials", "GET", OF_USER, (call) =>
      listReply(call, (page) => credentials.list(param(call, 0), page), credentialBody),
    ),
    permitted("createCredentials", "POST", OF_USER, (call) => create(call, parts)),
    permitted(
      "getCredentials",
      "GET",
      ONE,
      async (call) => json(200, credentialBody(await credentials.get(param(call, 0), param(call, 1)))),
      MISSING,
    ),
    permitted(
      "deleteCredentials",
      "DELETE",
      ONE,
      async (call) => {
        const before = await credentials.get(param(call, 0), param(call, 1));
        await credentials.delete(before.username, before.access_key_id);
        parts.audit.wrote(call, "deleteCredentials", { user: before.username, before });
        return NO_CONTENT;
      },
      MISSING,
    ),
  ];
}

async function create(
  call: UserCall,
  { directory, audit, escalation, holdings }: CredentialParts,
): Promise<Reply> {
  const user = param(call, 0);
  const warnings = await judgeActingAs(call, user, "creating credentials for", escalation, holdings);
  const made = await directory.credentials.create(user);
  const { access_key_id, creation_date } = made;
  audit.wrote(call, "createCredentials", { user, after: { access_key_id, creation_date } });
  audit.readSecret(call, "createCredentials", { user, access_key_id });
  return json(201, secretBody(made), [...NO_STORE, ...warnings]);
}

/** Whoever has somebody's credentials acts as that user: that is compared, unless it is oneself. */
export async function judgeActingAs(
  call: UserCall,
  user: string,
  doing: string,
  escalation: Escalation,
  holdings: Holdings,
): Promise<readonly string[]> {
  if (user === call.caller.identity.username) return [];
  return escalation.judge(call, {
    what: `${doing} ${JSON.stringify(user)}`,
    actsAs: user,
    policies: () => holdings.ofUser(user),
  });
}
