/** Seals pieces that this process alone reads again: with a key that nobody else has, and that goes with it. */

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key, and the pieces that it sealed, each with a number of its own. */
export class Seal {
  readonly #key = randomBytes(KEY_BYTES);

  /** Seals a piece; no other piece may have its number. */
  seal(number: number, bytes: Uint8Array): Uint8Array {
    const cipher = createCipheriv(CIPHER, this.#key, nonceOf(number), { authTagLength: TAG_BYTES });
    const sealed = cipher.update(bytes);
    cipher.final();
    return Buffer.concat([sealed, cipher.getAuthTag()]);
  }

  /** The piece of a number. Throws where it is not as it was sealed. */
  unseal(number: number, sealed: Uint8Array): Uint8Array {
    const decipher = createDecipheriv(CIPHER, this.#key, nonceOf(number), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const bytes = decipher.update(sealed.subarray(0, -TAG_BYTES));
    decipher.final();
    return bytes;
  }
}

function nonceOf(number: number): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(number, NONCE_BYTES - 6, 6);
  return nonce;
}
