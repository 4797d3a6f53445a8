/** The pages behind `/auth/invite`. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import { failurePage, page } from "../page-html.ts";
import type { InvitationState, LinkKind } from "../ports.ts";

/** The page of a link that can be redeemed, as a browser opens it. */
interface OpenedLink {
  readonly kind: LinkKind;
  readonly token: string;
  /** Fewest characters of a password; undefined where no passwords are kept. */
  readonly minLength: number | undefined;
  /** Says why what was sent is not taken. */
  readonly problem?: string;
}

/**
 * Returns the page that opening the link shows: buttons. The actions are relative, since a proxy may serve all below
 * a path.
 */
export function openingPage({ kind, token, minLength, problem }: OpenedLink): string {
  const hidden = `<input type="hidden" name="token" value="${escapeHtml(token)}">`;
  const alert = problem === undefined ? "" : `<p role="alert">${escapeHtml(problem)}</p>`;
  const action = kind === "reset" ? "reset" : "invite";
  const password = minLength === undefined ? "" : passwordForm(action, hidden, minLength);
  if (kind === "reset") return page("Set a new password", alert + password);
  const key = `<p>The button creates your access key and shows it, once.</p><form method="post" action="invite">${hidden}<button type="submit">Create my access key</button></form>`;
  const or = minLength === undefined ? "" : "<p>Or, for programs:</p>";
  return page("You are invited", alert + password + or + key);
}

function passwordForm(action: string, hidden: string, minLength: number): string {
  const field = (name: string, label: string): string =>
    `<p><label>${label}<br><input type="password" name="${name}" autocomplete="new-password" minlength="${minLength}" maxlength="256" required></label></p>`;
  const fields = field("password", "New password") + field("repeated", "New password again");
  return `<p>Choose a password with at least ${minLength} characters. A few words that do not belong together are easy to remember.</p><form method="post" action="${action}">${hidden}${fields}<button type="submit">Set my password</button></form>`;
}

/** The page after a password was set. */
export function passwordSetPage(username: string): string {
  return page(
    "Your password is set",
    `<p>Your user name is <b>${escapeHtml(username)}</b>. Everything that was signed in as you is signed out.</p><p><a href="../login">Sign in</a></p>`,
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
    "This invitation is no longer valid: its user was deleted or changed. Ask your administrator for a new one.",
  unknown:
    "This invitation is not known. Open the whole link of the mail; if that does not help, ask your administrator for a new one.",
};

/** The same for a link that sets a new password. */
const RESET_STATES: typeof STATES = {
  used: "This link was already used: your password was set with it. If that was not you, tell your administrator.",
  expired: "This link has expired: it holds for an hour. Ask for a new one at the sign-in.",
  withdrawn:
    "This link is no longer valid: your password or your address was changed after it was sent. Ask for a new one at the sign-in.",
  unknown: "This link is not known. Open the whole link of the mail, or ask for a new one at the sign-in.",
};

const NOT_SET_UP = "The set-up of the first administrator has not been done on this service yet.";

/**
 * Returns the page that says what became of an invitation that gives no key.
 * @param isSetUp whether the first administrator was set up
 */
export function statePage(state: keyof typeof STATES, kind: LinkKind = "invitation", isSetUp = true): string {
  if (kind === "reset") return failurePage(RESET_STATES[state]);
  return failurePage(isSetUp ? STATES[state] : `${STATES[state]} ${NOT_SET_UP}`);
}
