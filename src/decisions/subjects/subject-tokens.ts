/** Port: tokens of identity providers that say who a subject is (spec/decision-api §8.9). `compose` implements it. */

import type { Asserter } from "./asserted-groups.ts";

/** The subject of a verified token. */
export interface VouchedSubject {
  /** The name in the token. */
  readonly user: string;
  /** The groups as the token has them. */
  readonly groups: unknown;
  /** True: the token says that its groups are kept elsewhere, and has none. */
  readonly groupsAreElsewhere: boolean;
  /** The issuer. */
  readonly asserter: Asserter;
  /** False: a user of the directory who has this name is somebody else. */
  readonly mayBeUser: boolean;
}

/** Verifies tokens. */
export interface SubjectTokens {
  /**
   * The subject of a token.
   * @throws AuthorizerError "unauthenticated" for a token that does not hold, "unavailable" where the keys of its issuer
   * cannot be had; at once or by rejection
   */
  verify(token: string): VouchedSubject | Promise<VouchedSubject>;
}
