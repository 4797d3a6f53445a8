/** Messages of the API that data servers know and that tell a person too little, as sentences. */

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ["error authenticating request", "Your session has ended. Sign in again."],
  ["not found", "This is not there any more. Load the page again to see what is."],
  ["user not found", missing("user", "Users")],
  ["group not found", missing("group", "Groups")],
  ["policy not found", missing("policy", "Policies")],
  [
    "credentials not found",
    "This access key is not there any more: somebody deleted it. Load the page again.",
  ],
]);

const WRONG_KEY =
  "The service does not accept this access key. Check that ID and secret belong together and are complete; if the key was " +
  "deleted, an administrator can make another one.";

/** The sentence for a name and a password that no way to sign in knows. */
export const WRONG_PASSWORD =
  "The user name or the password is not right. Check both, and whether Caps Lock is on; if you forgot the password, ask for a " +
  "new one below, or ask an administrator.";

/** The sentence where too many attempts have failed from here. */
export const TOO_MANY_ATTEMPTS =
  "Too many attempts have failed from here. Wait a minute and try again; from elsewhere, or with an access key, you can sign in now.";

function missing(kind: string, page: string): string {
  return `There is no such ${kind}: it was deleted or renamed, or its name is misspelt. Look for it in ${page}.`;
}

/**
 * The sentence for a message of the API; most messages are sentences themselves.
 * @param operation method and path, as in the reference
 */
export function sentenceOf(message: string, operation: string): string {
  const isLogin = operation === "POST /auth/login" && message === "error authenticating request";
  return isLogin ? WRONG_KEY : (SENTENCES.get(message) ?? message);
}
