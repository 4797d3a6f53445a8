/** Pages that need no application: no script, one style that the policy names by its digest. */

import { createHash } from "node:crypto";
import type { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import { type ErrorReply, errorReply } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";

const STYLE = [
  "body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color:#1b1f24}",
  "h1{font-size:1.4rem}",
  "dt{margin-top:1rem;color:#57606a}",
  "dd{margin:0;font-family:ui-monospace,monospace;overflow-wrap:anywhere}",
  "button{font:inherit;padding:.5rem 1.25rem;cursor:pointer}",
].join("");
const STYLE_DIGEST = createHash("sha256").update(STYLE).digest("base64");

/** Content type of every page. */
export const PAGE_TYPE = "text/html; charset=utf-8";

/** Headers of every page. Addresses hold tokens, and some pages a secret: neither is kept or passed on. */
export const PAGE_HEADERS: readonly string[] = [
  "Cache-Control",
  "no-store",
  "Referrer-Policy",
  "no-referrer",
  "Content-Security-Policy",
  [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_DIGEST}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join(";"),
];

/**
 * Returns a page.
 * @param content HTML
 * @param refreshTo path to which the page leads by itself
 */
export function page(title: string, content: string, refreshTo?: string): string {
  const refresh =
    refreshTo === undefined ? "" : `<meta http-equiv="refresh" content="0; url=${escapeHtml(refreshTo)}">`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="robots" content="noindex">${refresh}<title>${title}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${title}</h1>${content}</main></body></html>\n`,
  ].join("");
}

/** Returns the page that says why something did not work. */
export function failurePage(text: string): string {
  return page("This did not work", `<p>${escapeHtml(text)}</p>`);
}

/** The answer with a page. */
export function pageReply(body: string, status = 200): Reply {
  return { status, body, type: PAGE_TYPE, headers: PAGE_HEADERS };
}

/** The answer with the page of an error. What is no error of ours shows its number alone. */
export function failureReply(error: unknown): ErrorReply {
  const reply = errorReply(error);
  const { errorId, headers } = reply;
  const text = errorId === undefined ? (error as AuthorizerError).message : `internal error ${errorId}`;
  return { ...reply, body: failurePage(text), type: PAGE_TYPE, headers: [...PAGE_HEADERS, ...headers] };
}
