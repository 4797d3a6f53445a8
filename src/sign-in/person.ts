/** The person that claims of a provider describe (spec/sign-in §1). */

import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { JWTPayload } from "jose";
import type { SignedInPerson } from "../directory/provisioning.ts";
import type { OidcIssuer, OidcSubject } from "../identity/oidc/oidc.ts";
import { claim, subjectOf } from "../identity/oidc/open-oidc.ts";
import { SignInRefused, type SignInWay } from "./sign-in.ts";

/** The rules for people of one issuer. */
export interface PersonRules {
  readonly issuer: OidcIssuer;
  readonly way: SignInWay;
  readonly createUsers: boolean;
  readonly externalIdClaim: string;
  /** True: the id is written as it is. */
  readonly isBare: boolean;
  /** Names of all issuers. */
  readonly issuerNames: readonly string[];
  /** `auth.oidc.*`. */
  readonly requiredClaims: ReadonlyMap<string, string>;
  readonly defaultInitialGroups: readonly string[];
  readonly initialGroupsClaims: readonly string[];
  readonly friendlyNameClaims: readonly string[];
  readonly storesFriendlyName: boolean;
}

/** Most groups that claims may name. */
const MOST_GROUPS = 1_000;

/** @throws SignInRefused */
export function personOf(claims: JWTPayload, rules: PersonRules): SignedInPerson {
  const { issuer, way } = rules;
  const subject = subjectIn(claims, rules);
  const { username } = subject;
  for (const [name, wanted] of rules.requiredClaims) {
    const value = claim(claims, name);
    if (typeof value === "object" || String(value) !== wanted)
      throw new SignInRefused("claims", way, { username });
  }
  if (subject.groupsAreElsewhere) throw new SignInRefused("groups", way, { username });
  const patterns = issuer.assertGroups.map(compileWildcard);
  const assertable = (groups: readonly string[]) =>
    groups.filter((group) => isPossibleName(group) && patterns.some((pattern) => pattern.match(group)));
  const named = initialGroupsIn(claims, rules);
  const friendlyName = rules.storesFriendlyName ? firstText(claims, rules.friendlyNameClaims) : undefined;
  return {
    issuer: issuer.name,
    externalId: externalIdOf(claims, rules, username),
    username,
    groups: assertable(namesIn(subject.groups, rules, username)),
    initialGroups: named === undefined ? rules.defaultInitialGroups : assertable(named),
    // A pattern says nothing about a group that makes administrators.
    isNamed: (group) => !/[*?]/.test(group) && issuer.assertGroups.includes(group),
    friendlyName,
    mayCreate: rules.createUsers,
    byName: issuer.directoryUsers,
  };
}

function subjectIn(claims: JWTPayload, { issuer, way }: PersonRules): OidcSubject {
  try {
    return subjectOf(claims, issuer);
  } catch (cause) {
    if (!isErrorCode(cause, "unauthenticated")) throw cause;
    throw new SignInRefused("nameless", way, { cause });
  }
}

/** Ids of several issuers must not meet: each stands after the name of its issuer, but for those of one. */
function externalIdOf(claims: JWTPayload, rules: PersonRules, username: string): string {
  const { way, isBare, issuerNames, issuer } = rules;
  const id = claim(claims, rules.externalIdClaim);
  const written = typeof id !== "string" || id === "" ? "" : isBare ? id : `${issuer.name}:${id}`;
  const isOthers = isBare && issuerNames.some((name) => written.startsWith(`${name}:`));
  if (!isPossibleName(written) || isOthers) throw new SignInRefused("nameless", way, { username });
  return written;
}

/** The groups of the claim for new users: a list, or a text with commas; undefined where there is none. */
function initialGroupsIn(claims: JWTPayload, rules: PersonRules): readonly string[] | undefined {
  const value = rules.initialGroupsClaims.map((name) => claim(claims, name)).find((one) => one !== undefined);
  if (value === undefined) return undefined;
  const split = typeof value === "string" ? value.split(",").map((name) => name.trim()) : value;
  return namesIn(split, rules, undefined);
}

function namesIn(value: unknown, { way }: PersonRules, username: string | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.length <= MOST_GROUPS;
  if (isList && value.every((one) => typeof one === "string")) return value;
  throw new SignInRefused("groups", way, username === undefined ? {} : { username });
}

function firstText(claims: JWTPayload, names: readonly string[]): string | undefined {
  const texts = names.map((name) => claim(claims, name));
  return texts.find(
    (text): text is string => typeof text === "string" && text !== "" && text.length <= 1_024,
  );
}
