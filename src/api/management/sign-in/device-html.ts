/** The pages behind `/device`, where people confirm that a program of theirs signs in. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import type { DeviceRequest } from "../../../sign-in/device-requests.ts";
import type { SignInWay } from "../../../sign-in/sign-in.ts";
import { page } from "../page-html.ts";

const TITLE = "Sign in a program";

/** The page for somebody who is not signed in in this browser. */
export function strangerPage(ways: readonly SignInWay[], addressOf: (way: SignInWay) => string): string {
  const links = [
    ...ways.map((way) => [addressOf(way), `Continue with ${way.title}`] as const),
    ["/sign-in?next=%2Fdevice", "Sign in another way"] as const,
  ];
  const list = links.map(([href, text]) => `<p><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></p>`);
  return page(TITLE, `<p>Sign in in this browser first. The code stays valid.</p>${list.join("")}`);
}

/** The page that takes the code. It is typed: a link that brings one along would be somebody else's. */
export function codePage(username: string, isWrong: boolean): string {
  const wrong = isWrong
    ? '<p role="alert">No program waits with this code: it was mistyped, used, or is older than 10 minutes.</p>'
    : "";
  return page(
    TITLE,
    `<p>You are signed in as <strong>${escapeHtml(username)}</strong>. Type the code that your program shows.</p>${wrong}<form method="post" action="device"><p><label for="code">Code</label> <input id="code" name="code" required maxlength="32" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus></p><p><button type="submit">Continue</button></p></form>`,
  );
}

/** The page that asks whether this is the person's own program. */
export function confirmPage(username: string, code: string, { source, host }: DeviceRequest): string {
  const rows = [
    ["Program", "svcctl"],
    ["Its machine, as it says", host === "" ? "(not named)" : host],
    ["It asked from the address", source === "" ? "(unknown)" : source],
    ["It will act as", username],
  ] as const;
  const list = rows.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join("");
  const hidden = `<input type="hidden" name="code" value="${escapeHtml(code)}">`;
  const button = (answer: string, text: string) =>
    `<button type="submit" name="answer" value="${answer}">${text}</button>`;
  return page(
    TITLE,
    `<p>Confirm only if you started this program yourself, a moment ago. Nobody else may send you a code.</p><dl>${list}</dl><form method="post" action="device">${hidden}<p>${button("confirm", "Sign it in")} ${button("refuse", "Refuse")}</p></form>`,
  );
}

/** The page after the answer. */
export function answeredPage(isConfirmed: boolean): string {
  const text = isConfirmed
    ? "The program is signed in. You can close this page."
    : "The program was refused. You can close this page.";
  return page(TITLE, `<p>${text}</p>`);
}
