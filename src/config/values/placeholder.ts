/** Placeholders for values that an operator must fill in. */

/**
 * Matches the reference's placeholders for values to fill in (configuration.md §2.4): `<SIGNING_SECRET>`, `{auth_url}`.
 */
const PLACEHOLDER = /^(?:<[A-Z][A-Z0-9_]*>|\{[a-z][a-z0-9_]*\})$/;

/** True for a placeholder, which counts as not set. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text.trim());
}

/** Other forms that are never a secret: an unexpanded variable, and wording seen in published examples. */
const TEMPLATE = /^(?:<[^<>]*>|\{[^{}]*\}|\[[^[\]]*\]|\$\{?\w+\}?|\$\{\{?[^{}]*\}?\}|%\w+%)$/;
const EXAMPLE_WORDING =
  /must.?be.?changed|change.?(?:me|this|it)|(?:override|replace).?(?:me|this)|(?:some|a).random.(?:secret.)?string|(?:generate|insert|put|enter).*key.?here|your.?(?:secret|key|encryption)/i;

/** True for a secret that is publicly known because it is a placeholder or stands in examples. */
export function isKnownPlaceholder(text: string): boolean {
  const trimmed = text.trim();
  return isPlaceholder(trimmed) || TEMPLATE.test(trimmed) || EXAMPLE_WORDING.test(trimmed);
}
