/**
 * Signing in from a terminal (RFC 8628): a program shows a code, a person who is signed in types it into a page, and the
 * program gets a login token. Requests are kept in the directory until they are over, so that each node knows them.
 */

import { hash, randomBytes, randomInt } from "node:crypto";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Directory } from "../directory/directory.ts";
import type { Identities, Identity, IssuedToken } from "../identity/identity.ts";
import { KeptPlaces } from "./kept-places.ts";

/** Time in which a person has to type the code, seconds. */
const DEVICE_SECONDS = 600;
/** Requests that wait in this process: of all sources, and of one. */
const MOST_WAITING = 256;
const MOST_OF_ONE = 8;
/** Shortest time between two looks at the requests of all sources, milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/** Consonants alone, so that no code is a word (RFC 8628, section 6.1). */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LENGTH = 8;
const LONGEST_TYPED = 32;
const ID_BYTES = 32;
/** The end in Unix seconds, and a secret. */
const DEVICE_CODE = /^(\d{10,11})\.([A-Za-z0-9_-]{43})$/;

/** The program that asks, as the person sees it. */
export interface DeviceRequest {
  /** Address of the program. */
  readonly source: string;
  /** Name of its machine, as the program says. */
  readonly host: string;
}

/** A request that waits for its code to be typed. */
interface Waiting extends DeviceRequest {
  /** Digest of the secret that the program alone knows. */
  readonly id: string;
  /** Unix seconds. */
  readonly until: number;
}

/** A person who is signed in in a browser; what the program gets ends with that, and with the access key behind it. */
type Confirming = Pick<Identity, "username" | "userId" | "issuer" | "accessKeyId" | "expiresAt" | "since">;

/** The answer of the person. */
interface DeviceAnswer {
  /** undefined: refused. */
  readonly by?: Omit<Confirming, "since">;
  /** The beginning of the person's sessions, as `Session.since`. */
  readonly since?: string;
  /** Unix seconds until which it holds. */
  readonly until: number;
}

/** A login token for a program, and whose it is. */
interface DeviceToken extends IssuedToken {
  readonly username: string;
  readonly issuer?: string;
}

/** A refusal: of the person, or where a person confirmed who may no longer sign in, who is named then. */
interface DeviceDenial {
  readonly denied: string | undefined;
}

/** Options of {@link DeviceRequests}. */
interface DeviceOptions {
  readonly directory: Pick<Directory, "tokenClaims">;
  readonly identities: Pick<Identities, "issueLoginToken">;
}

/** The requests. */
export class DeviceRequests {
  readonly #options: DeviceOptions;
  readonly #places = new KeptPlaces({ ofAll: MOST_WAITING, ofOne: MOST_OF_ONE });
  /** Milliseconds of `performance.now()`. */
  #lookAgainAt = Number.NEGATIVE_INFINITY;

  constructor(options: DeviceOptions) {
    this.#options = options;
  }

  /**
   * Begins one.
   * @param source the part of the address for which requests are counted
   * @throws AuthorizerError "unavailable" where too many wait
   */
  async begin(
    request: DeviceRequest,
    source: string,
  ): Promise<{ readonly deviceCode: string; readonly userCode: string; readonly seconds: number }> {
    const until = Math.floor(Date.now() / 1_000) + DEVICE_SECONDS;
    const secret = randomBytes(ID_BYTES);
    const id = digestOf(secret);
    const place = { id, source, until: performance.now() + DEVICE_SECONDS * 1_000 };
    if (!this.#places.take(place)) {
      await this.#leaveAnswered(source);
      if (!this.#places.take(place))
        throw new AuthorizerError("unavailable", "too many programs wait to be signed in", {
          retryAfterSeconds: 60,
        });
    }
    const userCode = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
    const waiting: Waiting = { ...request, id, until };
    await this.#options.directory.tokenClaims.claim(requestOf(userCode), until, JSON.stringify(waiting));
    return { deviceCode: `${until}.${secret.toString("base64url")}`, userCode, seconds: DEVICE_SECONDS };
  }

  /** Gives back the places of requests that were answered: the program may have asked another process for its token. */
  async #leaveAnswered(source: string): Promise<void> {
    const ids = this.#places.holders(source);
    const now = performance.now();
    // Whoever fills all of them must not make each further one look at all.
    if (ids.length > MOST_OF_ONE && now < this.#lookAgainAt) return;
    if (ids.length > MOST_OF_ONE) this.#lookAgainAt = now + LOOK_AGAIN_MS;
    const { tokenClaims } = this.#options.directory;
    for (const id of ids) if ((await tokenClaims.said(answerOf(id))) !== undefined) this.#places.leave(id);
  }

  /** The request of a code, as a person typed it; undefined where none waits. */
  async find(
    typed: string,
  ): Promise<(DeviceRequest & { readonly id: string; readonly until: number }) | undefined> {
    const { tokenClaims } = this.#options.directory;
    const userCode = typed.toUpperCase().replace(/[^A-Z]/g, "");
    if (typed.length > LONGEST_TYPED || userCode.length !== CODE_LENGTH) return undefined;
    const said = await tokenClaims.said(requestOf(userCode));
    if (said === undefined) return undefined;
    const waiting = JSON.parse(said) as Waiting;
    return (await tokenClaims.said(answerOf(waiting.id))) === undefined ? waiting : undefined;
  }

  /**
   * Answers a request, once.
   * @param by the person; undefined refuses
   * @returns false where none waits any more
   */
  async answer(typed: string, by: Confirming | undefined): Promise<boolean> {
    const waiting = await this.find(typed);
    if (waiting === undefined) return false;
    const { id, until } = waiting;
    const answer: DeviceAnswer = {
      ...(by !== undefined && { by: personOf(by) }),
      ...(by?.since !== undefined && { since: by.since }),
      until,
    };
    return this.#claimOnce(answerOf(id), until, JSON.stringify(answer));
  }

  /**
   * The login token of a request that a person confirmed, once.
   * @param source address of the program
   * @returns "pending" until then, "expired" for everything that is no confirmation or refusal
   */
  async token(
    deviceCode: string,
    source: string,
  ): Promise<"pending" | "expired" | DeviceDenial | DeviceToken> {
    const { directory, identities } = this.#options;
    const [, end = "0", secret = ""] = DEVICE_CODE.exec(deviceCode) ?? [];
    if (Number(end) * 1_000 <= Date.now()) return "expired";
    const id = digestOf(Buffer.from(secret, "base64url"));
    const said = await directory.tokenClaims.said(answerOf(id));
    if (said === undefined) return "pending";
    this.#places.leave(id);
    const { by, since, until } = JSON.parse(said) as DeviceAnswer;
    if (by === undefined) return { denied: undefined };
    if (!(await this.#claimOnce(`device-used:${id}`, until))) return "expired";
    const { username, issuer } = by;
    try {
      const issued = await identities.issueLoginToken({
        ...by,
        ...(since !== undefined && { since }),
        origin: { how: "device", source },
      });
      return { ...issued, username, ...(issuer !== undefined && { issuer }) };
    } catch (error) {
      // Gone or inactive, or the sessions or the access key ended since, or the sign-in is over.
      if (isErrorCode(error, "unauthenticated")) return { denied: username };
      throw error;
    }
  }

  async #claimOnce(id: string, until: number, said?: string): Promise<boolean> {
    try {
      await this.#options.directory.tokenClaims.claim(id, until, said);
      return true;
    } catch (error) {
      if (isErrorCode(error, "invalid_request") && error.problems.length === 0) return false;
      throw error;
    }
  }
}

function personOf({
  username,
  userId,
  issuer,
  accessKeyId,
  expiresAt,
}: Confirming): NonNullable<DeviceAnswer["by"]> {
  return {
    username,
    userId,
    ...(issuer !== undefined && { issuer }),
    ...(accessKeyId !== undefined && { accessKeyId }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function requestOf(userCode: string): string {
  return `device:${userCode}`;
}

function answerOf(id: string): string {
  return `device-answer:${id}`;
}

function digestOf(secret: Buffer): string {
  return hash("sha256", secret, "base64url");
}
