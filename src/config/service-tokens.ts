/** Reads the tokens of `authorizer.tokens`, from files too, and keeps only their digests. */
import { createHash } from "node:crypto";
import {
  ConfigError,
  type ConfigProblem,
  problemOf,
} from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import type { ServiceTokenItem, TokenScope } from "./item.ts";
import { readSecretFile } from "./secret-file.ts";
import { SHORTEST_TOKEN } from "./values/parse-tokens.ts";
import { isKnownPlaceholder, KNOWN_SECRET } from "./values/placeholder.ts";

/** A caller with a token. */
interface ServiceToken {
  readonly name: string;
  /** SHA-256 of the token: 32 bytes. */
  readonly digest: Buffer;
  readonly scopes: ReadonlySet<TokenScope>;
  /** Patterns of the names of groups that its requests may assert for an unknown subject. */
  readonly assertGroups: readonly string[];
}

/** The digest of a token, as {@link ServiceToken} keeps it. */
export function tokenDigest(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}

/**
 * Reads token files (first line, without blanks around) and digests every token; read again for a reload.
 * Throws {@link ConfigError} naming each file that cannot be read or holds less than 32 characters.
 */
export function readServiceTokens(items: readonly ServiceTokenItem[]): readonly ServiceToken[] {
  const problems: ConfigProblem[] = [];
  const tokens = items.flatMap((item, index): ServiceToken[] => {
    const digest = digestOf(item);
    if (typeof digest !== "string") return [tokenOf(item, digest)];
    const place = item.token_file === undefined ? {} : { file: item.token_file };
    problems.push(problemOf("authorizer.tokens", `${JSON.stringify(item.name)}: ${digest}`, place, [index]));
    return [];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return tokens;
}

function tokenOf({ name, scopes, assert_groups = [] }: ServiceTokenItem, digest: Buffer): ServiceToken {
  return { name, digest, scopes: new Set(scopes), assertGroups: assert_groups };
}

/** The digest, or what is wrong. */
function digestOf({ token, token_file, token_sha256 }: ServiceTokenItem): Buffer | string {
  if (token !== undefined) return tokenDigest(token);
  if (token_sha256 !== undefined) return Buffer.from(token_sha256, "hex");
  const read = readSecretFile(token_file ?? "");
  if ("fault" in read) return read.fault;
  const { secret } = read;
  if (secret.length < SHORTEST_TOKEN) return `expected a token of at least ${SHORTEST_TOKEN} characters`;
  return isKnownPlaceholder(secret) ? KNOWN_SECRET : tokenDigest(secret);
}
