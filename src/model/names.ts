/**
 * Rules for names and ids that enter the directory (security.md §3.0, security.md §3.1), and for texts that are looked
 * up. Each rule returns a message that says what is wrong, or undefined. Messages never repeat the text.
 */

/** How strict names are: `lenient` waives only `*`, `?` and `%` (`authorizer.guards`). */
export type Guards = "strict" | "lenient";

/** Longest name in UTF-8 bytes. */
export const MAX_NAME_BYTES = 1_024;

const CONTROL_CHARACTER = /\p{Cc}/u;

/** The rule every name and id keeps; `what` begins the message. */
function problemOf(what: string, text: string): string | undefined {
  if (text === "") return `${what} must not be empty`;
  // UTF-8 is never shorter than UTF-16 in units, so huge texts are refused without being measured.
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

/** What is wrong with the name of a user to be created. */
export function userNameProblem(name: string, guards: Guards): string | undefined {
  return nameWithoutWildcards("a user name", name, guards);
}

/** What is wrong with the name of a group to be created. */
export function groupNameProblem(name: string, guards: Guards): string | undefined {
  return nameWithoutWildcards("a group name", name, guards);
}

/** What is wrong with the name of a policy to be created. `/` is refused by lenient guards too. */
export function policyNameProblem(name: string, guards: Guards): string | undefined {
  const what = "a policy name";
  const problem = problemOf(what, name) ?? forbidden(what, name, "/", "the data server cannot address it");
  if (problem !== undefined || guards === "lenient") return problem;
  return forbidden(what, name, "%", DECODED_TWICE);
}

/** What is wrong with an access key id to be imported. */
export function accessKeyProblem(accessKeyId: string): string | undefined {
  return problemOf("an access key id", accessKeyId);
}

/** What is wrong with a secret access key to be imported. */
export function secretAccessKeyProblem(secret: string): string | undefined {
  return problemOf("a secret access key", secret);
}

/** What is wrong with a user's external id. */
export function externalIdProblem(externalId: string): string | undefined {
  return problemOf("an external id", externalId);
}

/** What is wrong with a user's e-mail address; its form is not looked at. */
export function emailProblem(email: string): string | undefined {
  return problemOf("an e-mail address", email);
}

/** What is wrong with the id of an external principal. */
export function principalProblem(principalId: string): string | undefined {
  return problemOf("an external principal", principalId);
}

/** What is wrong with the id of a one-time token. */
export function tokenIdProblem(tokenId: string): string | undefined {
  return problemOf("a token id", tokenId);
}

/** What is wrong with the name of a resource type; `arn` is taken (decision-api.md §2). */
export function resourceTypeNameProblem(name: string): string | undefined {
  if (name === "arn") return 'a resource type must not be named "arn": that type takes an ARN as its id';
  return problemOf("the name of a resource type", name);
}

/** What is wrong with the id of a registered resource. */
export function resourceIdProblem(id: string): string | undefined {
  return problemOf("the id of a resource", id);
}

/**
 * True when a text could be the name or id of something: 1 to 1,024 bytes, no control character, no lone surrogate,
 * not `.` or `..`. Anything else is not found without asking the store (security.md §3.0).
 */
export function isPossibleName(text: string): boolean {
  return problemOf("a name", text) === undefined;
}
