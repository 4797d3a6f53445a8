/** Invitations of the running service: the configuration's `email` section over its data. */

import { type OpenedInvitations, openInvitations } from "../../mail/open-invitations.ts";
import type { MailConfig } from "../../mail/settings.ts";
import type { DataParts } from "../data.ts";
import { assertPackages } from "../needed-packages.ts";

/**
 * Opens the invitations over opened data; they end before it.
 * @throws AuthorizerError "invalid_request" where mails are configured and the package that sends them is not installed
 */
export function openServiceInvitations({ values, store, directory, logger }: DataParts): OpenedInvitations {
  assertPackages(values, "email.smtp_host");
  const config: MailConfig = {
    smtpHost: values["email.smtp_host"],
    smtpPort: values["email.smtp_port"],
    useSsl: values["email.use_ssl"],
    username: values["email.username"],
    password: values["email.password"],
    localName: values["email.local_name"],
    sender: values["email.sender"],
    baseUrl: values["email.svc_base_url"],
    limitEveryMs: values["email.limit_every_duration"],
    burst: values["email.burst"],
  };
  return openInvitations({ store, directory, seal: directory.mailSecrets, log: logger, config });
}
