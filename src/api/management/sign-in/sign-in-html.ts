/** The pages of a sign-in with an identity provider. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import type { SignInReason, SignInWay } from "../../../sign-in/sign-in.ts";
import { page } from "../page-html.ts";
import { refusalText } from "./refusal-texts.ts";

/** The page after a sign-in. Cookies of this site alone come along when it leads on, as they do after no redirection. */
export function signedInPage(next: string): string {
  return page("You are signed in", `<p><a href="${escapeHtml(next)}">Continue</a></p>`, next);
}

/** Links to the providers, as paragraphs. */
export function wayLinks(ways: readonly SignInWay[], addressOf: (way: SignInWay) => string): string {
  return ways
    .map((way) => `<p><a href="${escapeHtml(addressOf(way))}">Continue with ${escapeHtml(way.title)}</a></p>`)
    .join("");
}

/** The page of a refusal. */
export function refusedPage(
  reason: SignInReason,
  title: string | undefined,
  username: string | undefined,
): string {
  const text = refusalText(reason, title, username);
  return page(
    "You are not signed in",
    `<p>${escapeHtml(text)}</p><p><a href="/login">Back to sign-in</a></p>`,
  );
}
