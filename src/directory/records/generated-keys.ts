/** Access keys made by this service, in the form that the data server's doctor expects (spec/authorization-api §11). */

import { randomBytes } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const SECRET_BYTES = 30;
const RANDOM_CHARACTERS = 14;

/** A new access key id: `AKIAJ`, 14 characters of `A–Z2–7`, `Q`. */
export function generateAccessKeyId(): string {
  let text = "";
  for (const byte of randomBytes(RANDOM_CHARACTERS)) text += ALPHABET[byte & 31];
  return `AKIAJ${text}Q`;
}

/** Beginning of the ids of temporary keys, as at AWS, whose programs know by it that a session token belongs to them. */
export const TEMPORARY_PREFIX = "ASIA";

/** A new id of a temporary access key: `ASIAJ`, 14 characters of `A–Z2–7`, `Q`. */
export function generateTemporaryKeyId(): string {
  return generateAccessKeyId().replace("AKIA", TEMPORARY_PREFIX);
}

/** A new secret access key: base64 of 30 random bytes. */
export function generateSecretAccessKey(): string {
  return randomBytes(SECRET_BYTES).toString("base64");
}
