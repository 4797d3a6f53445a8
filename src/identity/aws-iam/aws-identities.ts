/** Users of AWS IAM identities: who signed a request, and the external principal that stands for it here (spec/sign-in §3). */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Directory } from "../../directory/directory.ts";
import { PlacesBySource } from "../places-by-source.ts";
import { askSts } from "./ask-sts.ts";
import { readIdentityRequest } from "./identity-request.ts";
import { stsAddress } from "./sts-hosts.ts";

/** Options of {@link AwsIdentities}. */
interface AwsIdentitiesOptions {
  readonly directory: Pick<Directory, "externalPrincipals">;
  /** `authorizer.aws_iam.sts_hosts`. */
  readonly stsHosts: readonly string[];
  /** `authorizer.aws_iam.max_age`, milliseconds. */
  readonly maxAge: number;
  /** `authorizer.aws_iam.server_id`. */
  readonly serverId: string;
  /** Unix milliseconds; default the clock. */
  readonly now?: () => number;
}

/** Clocks of callers may be ahead by so much. */
const AHEAD_MS = 300_000;
/** Requests that wait for AWS at one time: each is a call of ours to somebody else. */
const MOST_AT_ONCE = 32;
const SESSION = /^(arn:[^:]+:sts::\d{12}:assumed-role\/[^/]+)\/[^/]+$/;

/** Finds out who signed a request. */
export class AwsIdentities {
  readonly #options: AwsIdentitiesOptions;
  readonly #places = new PlacesBySource({ ofAll: MOST_AT_ONCE, ofOne: MOST_AT_ONCE / 2 });

  constructor(options: AwsIdentitiesOptions) {
    this.#options = options;
  }

  /**
   * The external principal of who signed an identity request: the ARN as AWS tells it where the directory has that, else
   * without the session, whose name its holder chooses.
   * @param body what the client sent as `identityRequest`
   * @param source address of who asks: no one has more than half of the requests that are under way
   * @throws AuthorizerError "invalid_request" for a request in another form, "not_allowed" for one that is too old or that AWS
   * refuses, "unavailable" where AWS does not answer
   */
  async principalOf(body: unknown, source: string): Promise<string> {
    const { stsHosts, maxAge, serverId, now = Date.now } = this.#options;
    const request = readIdentityRequest(body);
    const address = stsAddress(request, stsHosts);
    if (address === undefined) {
      const message =
        "identity_token: its host is not one of authorizer.aws_iam.sts_hosts, or its region is none";
      throw new AuthorizerError("invalid_request", message);
    }
    const age = now() - request.at;
    if (age > Math.min(maxAge, request.expires * 1_000) || age < -AHEAD_MS) throw expired();
    try {
      const asked = async () => this.#known(await askSts(request, address, serverId));
      return await this.#places.run(source, asked, tooMany);
    } catch (error) {
      throw isErrorCode(error, "unauthenticated") ? expired(error) : error;
    }
  }

  async #known(arn: string): Promise<string> {
    const role = SESSION.exec(arn)?.[1];
    for (const candidate of role === undefined ? [arn] : [arn, role]) {
      const owner = await this.#options.directory.externalPrincipals.owner(candidate);
      // An inactive user is nobody, and whoever has the role is not in its place.
      if (owner?.isInactive === true) throw expired();
      if (owner !== undefined) return candidate;
    }
    return role ?? arn;
  }
}

function tooMany(): AuthorizerError {
  const message = "too many identities are being asked for";
  return new AuthorizerError("unavailable", message, { retryAfterSeconds: 1 });
}

function expired(cause?: unknown): AuthorizerError {
  return new AuthorizerError("not_allowed", "the identity has expired, or is not valid", { cause });
}
