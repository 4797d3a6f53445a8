/** Decision logs in temporary folders, and records for them. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { logKeys } from "@svc-authorizer/policy/records/digests.ts";
import type { LoggedLine } from "@svc-authorizer/policy/records/record.ts";
import { type Finding, Verification } from "../../src/decision-log/chain/verify.ts";
import { type DecisionLogOptions, openDecisionLog } from "../../src/decision-log/open-decision-log.ts";
import type { DecisionLogSettings } from "../../src/decision-log/settings.ts";
import type { Decided } from "../../src/decisions/decision-log.ts";

export const SECRET = "the secret key of the tests of the log";

export function settingsOf(
  directory: string,
  changes: Partial<DecisionLogSettings> = {},
): DecisionLogSettings {
  return {
    include: "all",
    directory,
    node: "n1",
    worker: 0,
    segmentBytes: 64 << 20,
    segmentAgeMs: 86_400_000,
    keepMs: 0,
    maxBytes: 0,
    compress: false,
    mask: [],
    whenFull: "drop",
    sync: "interval",
    items: 1000,
    secretKey: SECRET,
    ...changes,
  };
}

/** Opens a log whose ids count from 1. */
export function openTestLog(
  directory: string,
  changes: Partial<DecisionLogSettings> = {},
  options: Partial<DecisionLogOptions> = {},
) {
  let id = 0;
  return openDecisionLog({
    settings: settingsOf(directory, changes),
    policySet: "477d52c37ac9",
    revision: () => 7,
    nextId: () => `d-${++id}`,
    report: () => undefined,
    ...options,
  });
}

export function decidedBy(user: string, resource: string, effect: "allow" | "neutral" = "allow"): Decided {
  return {
    id: `d-${user}-${resource}`,
    entrance: "check",
    requestId: "r-1",
    call: undefined,
    user,
    loaded: undefined,
    required: { action: "fs:ReadObject", resource: `arn:svc:fs:::repository/${resource}` },
    context: new Map(),
    outcome: { effect },
    decidedBy: [],
  };
}

/** The segments of a folder, oldest first, as text. */
export function segmentTexts(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /\.jsonl(\.zst)?$/.test(name));
  return names.sort().map((name) => {
    const bytes = readFileSync(join(folder, name));
    return (name.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes).toString("utf8");
  });
}

/** The lines of a chain. */
export function linesOf(folder: string): readonly LoggedLine[] {
  const lines = segmentTexts(folder).flatMap((text) => text.split("\n").slice(0, -1));
  return lines.map((line) => JSON.parse(line) as LoggedLine);
}

/** The findings of a verification. */
export async function findingsIn(
  directory: string,
  secret: string | undefined = SECRET,
): Promise<readonly Finding[]> {
  const verification = new Verification(secret === undefined ? [] : [logKeys(secret).seal]);
  const findings: Finding[] = [];
  for await (const finding of verification.directory(directory)) findings.push(finding);
  return findings;
}
