/** Implements `svc-authorizer decision-log verify` (decision-log.md §2.6). */

import { type Finding, Verification } from "../../../decision-log/chain/verify.ts";
import { keysFrom } from "../../../decision-log/digests.ts";
import { AuthorizerError } from "../../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { storeValues } from "../store/store-values.ts";

/** Number of findings that are printed. */
const MOST_FINDINGS = 100;

interface VerifyFlags {
  readonly directory: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** The command on the command line. */
export async function verify(call: CommandCall): Promise<void> {
  const flags = flagsOf<VerifyFlags>(call);
  const { context } = call;
  const verification = new Verification(await sealKeys(context, flags.config));
  const findings = await findingsOf(verification, flags.directory);
  const damaged = findings.filter(({ torn }) => !torn);
  const { counts } = verification;
  if (counts.chains === 0) {
    throw new AuthorizerError("unavailable", `${flags.directory} has no decision log`);
  }
  context.finish(damaged.length === 0 ? EXIT.ok : EXIT.failed);
  if (flags.json === true) {
    context.out(`${JSON.stringify({ sound: damaged.length === 0, ...counts, findings })}\n`);
    return;
  }
  for (const { file, line, message } of findings.slice(0, MOST_FINDINGS)) {
    context.out(`${file}:${line}: ${message}\n`);
  }
  const { chains, segments, lines, seals } = counts;
  const seen = `chains: ${chains}, segments: ${segments}, sound lines: ${lines}, seals: ${seals}`;
  context.out(
    `${damaged.length === 0 ? "the decision log is sound" : "the decision log is damaged"} (${seen})\n`,
  );
}

async function findingsOf(verification: Verification, directory: string): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    for await (const finding of verification.directory(directory)) {
      if (findings.length < MOST_FINDINGS || !finding.torn) findings.push(finding);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AuthorizerError("unavailable", `${directory} cannot be read: ${reason}`, { cause });
  }
  return findings;
}

/** Keys of the seals: the one in use and the one before. */
async function sealKeys(context: CommandContext, config: string | undefined): Promise<readonly Buffer[]> {
  if (config === undefined) return [];
  const values = storeValues(context, { config });
  const secrets = [values["auth.encrypt.secret_key"], values["authorizer.previous_secret_key"]];
  const keys = secrets.flatMap((secret) => keysFrom(secret)?.seal ?? []);
  if (keys.length === 0) {
    context.err("auth.encrypt.secret_key is not set: seals are not checked\n");
  }
  return keys;
}
