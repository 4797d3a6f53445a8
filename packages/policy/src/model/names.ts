/**
 * Rules for names and ids that enter the directory (spec/security §3.0, spec/security §3.1), and for texts in look-ups.
 * Each rule returns a message with the problem, or undefined. A message never repeats the text.
 */

/** Strictness of names: `lenient` waives only `*`, `?` and `%` (`authorizer.guards`). */
export type Guards = "strict" | "lenient";

/** Longest name in UTF-8 bytes. */
export const MAX_NAME_BYTES = 1_024;

const CONTROL_CHARACTER = /\p{Cc}/u;

/** The rule for every name and id. The message begins with `what`. */
function problemOf(what: string, text: string): string | undefined {
  if (text === "") return `${what} must not be empty`;
  // A text never has fewer UTF-8 bytes than UTF-16 units, so huge texts are refused without being measured.
  if (text.length > MAX_NAME_BYTES || Buffer.byteLength(text) > MAX_NAME_BYTES) {
    return `${what} must have at most ${MAX_NAME_BYTES} bytes in UTF-8`;
  }
  if (!text.isWellFormed()) return `${what} must be well-formed Unicode: it has half of a surrogate pair`;
  if (CONTROL_CHARACTER.test(text)) return `${what} must not contain control characters`;
  if (text === "." || text === "..") return `${what} must not be "." or "..": paths cannot address it`;
  return undefined;
}

function forbidden(what: string, text: string, characters: string, why: string): string | undefined {
  for (const character of characters) {
    if (text.includes(character)) return `${what} must not contain "${character}": ${why}`;
  }
  return undefined;
}

const ACTS_AS_WILDCARD = "it acts as a wildcard where a policy says ${user}";
const DECODED_TWICE = "paths that are decoded twice make it ambiguous";

function nameWithoutWildcards(what: string, text: string, guards: Guards): string | undefined {
  const problem = problemOf(what, text);
  if (problem !== undefined || guards === "lenient") return problem;
  return forbidden(what, text, "*?", ACTS_AS_WILDCARD) ?? forbidden(what, text, "%", DECODED_TWICE);
}

/** The problem of the name of a new user, or undefined. */
export function userNameProblem(name: string, guards: Guards): string | undefined {
  return nameWithoutWildcards("a user name", name, guards);
}

/** The problem of the name of a new group, or undefined. */
export function groupNameProblem(name: string, guards: Guards): string | undefined {
  return nameWithoutWildcards("a group name", name, guards);
}

/** The problem of the name of a new policy, or undefined. Lenient guards refuse `/` too. */
export function policyNameProblem(name: string, guards: Guards): string | undefined {
  const what = "a policy name";
  const problem = problemOf(what, name) ?? forbidden(what, name, "/", "the data server cannot address it");
  if (problem !== undefined || guards === "lenient") return problem;
  return forbidden(what, name, "%", DECODED_TWICE);
}

/** The problem of an imported access key id, or undefined. */
export function accessKeyProblem(accessKeyId: string): string | undefined {
  return problemOf("an access key id", accessKeyId);
}

/** The problem of an imported secret access key, or undefined. */
export function secretAccessKeyProblem(secret: string): string | undefined {
  return problemOf("a secret access key", secret);
}

/** The problem of a user's external id, or undefined. */
export function externalIdProblem(externalId: string): string | undefined {
  return problemOf("an external id", externalId);
}

/** The problem of a user's e-mail address, or undefined. The form of an address is not checked. */
export function emailProblem(email: string): string | undefined {
  return problemOf("an e-mail address", email);
}

/** The problem of the id of an external principal, or undefined. */
export function principalProblem(principalId: string): string | undefined {
  return problemOf("an external principal", principalId);
}

/** The problem of the id of a one-time token, or undefined. */
export function tokenIdProblem(tokenId: string): string | undefined {
  return problemOf("a token id", tokenId);
}

/** The type of resources whose ids are their ARNs. */
export const ARN_TYPE = "arn";

/** The problem of the name of a resource type, or undefined; `arn` is reserved (spec/decision-api §2.7). */
export function resourceTypeNameProblem(name: string): string | undefined {
  if (name === ARN_TYPE) return 'a resource type must not be named "arn": that type takes an ARN as its id';
  return problemOf("the name of a resource type", name);
}

/** The problem of the id of a registered resource, or undefined. */
export function resourceIdProblem(id: string): string | undefined {
  return problemOf("the id of a resource", id);
}

/**
 * True if a text can be a name or an id: 1 to 1,024 bytes, no control character, no lone surrogate, not `.` or `..`.
 * Any other text is "not found" without a call to the store (spec/security §3.0).
 */
export function isPossibleName(text: string): boolean {
  return problemOf("a name", text) === undefined;
}
