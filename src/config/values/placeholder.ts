/** Placeholders for values that an operator must fill in. */

/**
 * Matches the reference's placeholders for values to fill in (spec/configuration §2.4): `<SIGNING_SECRET>`, `{auth_url}`.
 */
const PLACEHOLDER = /^(?:<[A-Z][A-Z0-9_]*>|\{[a-z][a-z0-9_]*\})$/;

/** True for a placeholder, which counts as not set. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text.trim());
}

/** Other forms that are never a secret: an unexpanded variable, and wording seen in published examples. */
const TEMPLATE = /^(?:<[^<>]*>|\{[^{}]*\}|\[[^[\]]*\]|\$\{?\w+\}?|\$\{\{?[^{}]*\}?\}|%\w+%)$/;
/** Secrets that say how long they are, or which item they belong to, as in the examples of the documentation. */
const DESCRIPTION =
  /\b\d+[\s_-]+(?:or[\s_-]+more[\s_-]+)?(?:random[\s_-]+)?(?:bytes|characters)\b|\b(?:of|as|from)[\s_-]+(?:authorizer|auth)\.[a-z]/i;
const EXAMPLE_WORDING =
  /must.?be.?changed|change.?(?:me|this|it)|(?:override|replace).?(?:me|this)|(?:some|a).random.(?:secret.)?string|(?:generate|insert|put|enter).*key.?here|your.?(?:secret|key|encryption)/i;

/** The problem of a secret for which {@link isKnownPlaceholder} is true. */
export const KNOWN_SECRET = "is a placeholder that everybody knows; make one with: openssl rand -hex 32";

/** True for a secret that is publicly known because it is a placeholder or stands in examples. */
export function isKnownPlaceholder(text: string): boolean {
  const trimmed = text.trim();
  return (
    isPlaceholder(trimmed) || [TEMPLATE, EXAMPLE_WORDING, DESCRIPTION].some((form) => form.test(trimmed))
  );
}
