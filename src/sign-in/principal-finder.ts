/**
 * External principals of programs: by this service where it can verify an identity itself, else by the server of
 * `auth.authentication_api.endpoint` (spec/sign-in §3).
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { PlacesBySource } from "../identity/places-by-source.ts";
import { askRemote } from "./ask-remote.ts";

/** Knows identities by themselves. */
interface Finder {
  principalOf(identityRequest: unknown, source: string): Promise<string>;
}

/** The parts. */
interface PrincipalParts {
  /** Identities of AWS; undefined where they are off. */
  readonly aws: Finder | undefined;
  /** Address of the call at the other server; undefined where none is asked. */
  readonly endpoint: URL | undefined;
  /** Told of what went wrong, without anything that a program sent. */
  readonly onFault: (cause: unknown) => void;
}

const TIMEOUT_MS = 5_000;
const MOST_AT_ONCE = 32;

/** The ways in which an identity is verified, as the audit log and the sessions of users name them. */
type PrincipalWay = "aws_iam" | "authentication_api";

/** Finds the external principals. */
export class PrincipalFinder implements Finder {
  readonly #parts: PrincipalParts;
  readonly #places = new PlacesBySource({ ofAll: MOST_AT_ONCE, ofOne: MOST_AT_ONCE / 2 });

  constructor(parts: PrincipalParts) {
    this.#parts = parts;
  }

  /**
   * The way in which an identity request is verified: by this service with AWS, or by the other server.
   * @param body what the client sent as `identityRequest`
   */
  wayOf(body: unknown): PrincipalWay {
    const { aws, endpoint } = this.#parts;
    return aws !== undefined && (endpoint === undefined || isOfAws(body)) ? "aws_iam" : "authentication_api";
  }

  /**
   * The external principal of an identity request.
   * @param body what the client sent as `identityRequest`
   * @param source address of who asks
   * @throws AuthorizerError "invalid_request", "not_allowed", "unavailable"
   */
  async principalOf(body: unknown, source: string): Promise<string> {
    const { aws, endpoint } = this.#parts;
    if (aws !== undefined && this.wayOf(body) === "aws_iam") return aws.principalOf(body, source);
    if (endpoint === undefined || typeof body !== "object" || body === null || Array.isArray(body))
      throw new AuthorizerError("invalid_request", "identityRequest: expected an object");
    // As a data server sends it: in the order of the names.
    const sorted = Object.fromEntries(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return this.#places.run(
      source,
      () => this.#ask(endpoint, sorted),
      () => away("too many identities are being asked for", 1),
    );
  }

  async #ask(endpoint: URL, body: object): Promise<string> {
    const { status, json } = await askRemote(endpoint, { body, timeoutMs: TIMEOUT_MS }).catch((cause) => {
      this.#parts.onFault(cause);
      throw away("the server of auth.authentication_api.endpoint does not answer", 60, cause);
    });
    if (status === 400) throw new AuthorizerError("invalid_request", "the identity has another form");
    if (status === 200 && typeof json["id"] === "string" && isPossibleName(json["id"])) return json["id"];
    throw new AuthorizerError("not_allowed", "the identity has expired, or is not valid");
  }
}

function isOfAws(body: unknown): boolean {
  return typeof body === "object" && body !== null && Object.hasOwn(body, "identity_token");
}

function away(message: string, retryAfterSeconds: number, cause?: unknown): AuthorizerError {
  return new AuthorizerError("unavailable", message, { cause, retryAfterSeconds });
}
