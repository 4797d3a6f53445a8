/** The file with the generated credentials of the first administrator. It is written before they enter the store. */

import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { generateAccessKeyId, generateSecretAccessKey } from "../directory/records/generated-keys.ts";

/** Name of the file, in the folder of the data. */
export const ADMIN_FILE = "svc-authorizer-admin.json";

const OWNER_ONLY = 0o600;

/** The content of the file. */
interface AdminCredentials {
  readonly username: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

/** The file at a path, written on demand and at most once. */
export class AdminFile {
  readonly path: string;
  #taken: AdminCredentials | undefined;
  #written = false;

  constructor(path: string) {
    this.path = path;
  }

  /** The credentials that {@link take} returned, or undefined. */
  get taken(): AdminCredentials | undefined {
    return this.#taken;
  }

  /**
   * Returns the credentials in the file. Creates them and the file (mode 600) if there is none. A file of a killed
   * process, or of another process that starts at the same time, is used as it is.
   * @throws AuthorizerError "unavailable" if it cannot be written, "invalid_request" if it is for another user name
   */
  async take(username: string): Promise<AdminCredentials> {
    this.#taken ??= await this.#make(username);
    return this.#taken;
  }

  /** Removes the file if this object has written it, because its credentials were not stored. */
  async discard(): Promise<void> {
    if (this.#written) await rm(this.path, { force: true });
  }

  async #make(username: string): Promise<AdminCredentials> {
    const made: AdminCredentials = {
      username,
      access_key_id: generateAccessKeyId(),
      secret_access_key: generateSecretAccessKey(),
    };
    const whole = `${this.path}.${randomBytes(6).toString("hex")}.tmp`;
    try {
      await writeFile(whole, `${JSON.stringify(made, undefined, 2)}\n`, {
        mode: OWNER_ONLY,
        flag: "wx",
        flush: true,
      });
      // A link, unlike a rename, does not replace an existing file.
      await link(whole, this.path);
      this.#written = true;
      return made;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") return await this.#read(username);
      const reason = (cause as NodeJS.ErrnoException).code ?? "unknown error";
      throw new AuthorizerError("unavailable", `${this.path} cannot be written (${reason})`, { cause });
    } finally {
      await rm(whole, { force: true });
    }
  }

  async #read(username: string): Promise<AdminCredentials> {
    const foreign = (why: string): AuthorizerError =>
      new AuthorizerError(
        "invalid_request",
        `${this.path} ${why}; move it away, a new one will be written for the first administrator`,
      );
    let found: Partial<AdminCredentials> | null;
    try {
      found = JSON.parse(await readFile(this.path, "utf8"));
    } catch {
      throw foreign("is not a file with credentials");
    }
    const { access_key_id, secret_access_key } = found ?? {};
    if (typeof access_key_id !== "string" || typeof secret_access_key !== "string") {
      throw foreign("is not a file with credentials");
    }
    if (found?.username !== username) throw foreign("has the credentials of another administrator");
    return { username, access_key_id, secret_access_key };
  }
}
