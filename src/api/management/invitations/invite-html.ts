/** The pages behind `/auth/invite`. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import { failurePage, page } from "../page-html.ts";
import type { InvitationState } from "../ports.ts";

/**
 * Returns the page that opening the link shows: a button. The action is relative, since a proxy may serve all below
 * a path.
 */
export function openingPage(token: string): string {
  return page(
    "You are invited",
    `<p>The button creates your access key and shows it, once.</p><form method="post" action="invite"><input type="hidden" name="token" value="${escapeHtml(token)}"><button type="submit">Create my access key</button></form>`,
  );
}

/** The key, in clear. */
export function keyPage(key: {
  readonly username: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
}): string {
  const rows = [
    ["User", key.username],
    ["Access key ID", key.access_key_id],
    ["Secret access key", key.secret_access_key],
  ] as const;
  const list = rows.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join("");
  return page(
    "Your access key",
    `<dl>${list}</dl><p>Keep these somewhere safe: the secret cannot be shown again.</p>`,
  );
}

/** Texts of the page for a link that gives no key. */
const STATES: Readonly<Record<Exclude<InvitationState, "open">, string>> = {
  used: "This invitation was already used, and its access key was shown then. The key cannot be shown again. If you did not use the invitation, tell your administrator.",
  expired: "This invitation has expired. Ask your administrator for a new one.",
  withdrawn:
    "This invitation is no longer valid: its user was deleted. Ask your administrator for a new one.",
  unknown:
    "This invitation is not known. Open the whole link of the mail; if that does not help, ask your administrator for a new one.",
};

const NOT_SET_UP = "The set-up of the first administrator has not been done on this service yet.";

/**
 * Returns the page that says what became of an invitation that gives no key.
 * @param isSetUp whether the first administrator was set up
 */
export function statePage(state: keyof typeof STATES, isSetUp = true): string {
  return failurePage(isSetUp ? STATES[state] : `${STATES[state]} ${NOT_SET_UP}`);
}
