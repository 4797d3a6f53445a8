/**
 * Hashes of passwords: argon2id (RFC 9106) of `node:crypto`, with the first choice of OWASP's Password Storage Cheat
 * Sheet, 19 MiB and two passes. The parameters stand in the hash, in the form that other programs write:
 * `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`, both in base64 without padding.
 */

import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** True where this Node has argon2 (from 24.7 on). */
export const hasArgon2: boolean = typeof argon2 === "function";

/** A hash of no password, that costs as much to compare as a new one: for names that nobody has. */
export const NOBODYS_HASH = written(Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/** The hash of a password, with a new salt. About 60 ms in a thread of Node's pool. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const made = await derive(password, { ...COST, nonce: salt, tagLength: HASH_BYTES });
  return written(salt, made);
}

/**
 * Whether a password is the one of a hash. The work is that of the parameters in the hash.
 * @throws AuthorizerError "internal" for a text that is no such hash
 */
export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = "", tag = ""] = FORM.exec(hash) ?? [];
  if (memory === undefined) throw new AuthorizerError("internal", "a stored hash of a password is damaged");
  const known = Buffer.from(tag, "base64");
  const made = await derive(password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, "base64"),
    tagLength: known.length,
  });
  return timingSafeEqual(made, known);
}

/** One password has several spellings in Unicode, by the keyboard: NIST SP 800-63B asks for one of them. */
function derive(password: string, parameters: Omit<Argon2Parameters, "message">): Promise<Buffer> {
  const message = Buffer.from(password.normalize("NFKC"));
  return new Promise((resolve, reject) => {
    argon2("argon2id", { ...parameters, message }, (error, made) => {
      if (error === null) resolve(Buffer.from(made));
      else reject(error);
    });
  });
}

function written(salt: Buffer, made: Buffer): string {
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(made)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
