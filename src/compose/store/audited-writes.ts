/**
 * The calls that wrote policies, as files of the audit log name them (`authorizer.audit.output`). A record has the policy
 * as it was stored, not the body of the request.
 */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { createGunzip } from "node:zlib";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";

/** A call that wrote a policy. */
export interface AuditedWrite {
  /** RFC 3339. */
  readonly time: string;
  readonly operation: string;
  readonly actor?: string;
  readonly source_ip?: string;
  readonly request_id?: string;
}

/** The fields of a record that are read here. */
interface WriteRecord extends Partial<AuditedWrite> {
  readonly event?: unknown;
  readonly policy?: unknown;
  readonly after?: { readonly statement?: readonly Statement[] };
}

/**
 * Returns the newest call for each policy that stored just these statements, by name.
 * @param files in any order; those that end in `.gz` are decompressed. Lines that are no such records are passed over
 * @throws AuthorizerError "invalid_request" for a file that cannot be read
 */
export async function auditedWrites(
  files: readonly string[],
  policies: readonly NamedStatements[],
): Promise<ReadonlyMap<string, AuditedWrite>> {
  const wanted = new Map(policies.map(({ name, statement }) => [name, statement]));
  const found = new Map<string, AuditedWrite>();
  if (wanted.size === 0) return found;
  for (const file of files) {
    for await (const line of linesOf(file)) {
      const record = recordIn(line);
      if (record === undefined || typeof record.policy !== "string") continue;
      const { policy, time = "", operation = "", actor, source_ip, request_id, after } = record;
      const statements = wanted.get(policy);
      if (statements === undefined || !isDeepStrictEqual(after?.statement, statements)) continue;
      if (time < (found.get(policy)?.time ?? "")) continue;
      found.set(policy, {
        time,
        operation,
        ...(actor !== undefined && { actor }),
        ...(source_ip !== undefined && { source_ip }),
        ...(request_id !== undefined && { request_id }),
      });
    }
  }
  return found;
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file);
  const input = file.endsWith(".gz") ? stream.pipe(createGunzip()) : stream;
  stream.on("error", (error) => input.destroy(error));
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AuthorizerError("invalid_request", `${file} cannot be read: ${reason}`, { cause });
  } finally {
    stream.destroy();
  }
}

function recordIn(line: string): WriteRecord | undefined {
  // Most lines are about other events: they are not parsed.
  if (!line.includes('"write"') || !line.includes('"policy"')) return undefined;
  try {
    const record = parseJsonText(line) as WriteRecord | null;
    return record !== null && typeof record === "object" && record.event === "write" ? record : undefined;
  } catch {
    return undefined;
  }
}
