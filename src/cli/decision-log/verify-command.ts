/** Implements `svc-authorizer decision-log verify` (spec/decision-log §2.6). */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import { keysFrom } from "@svc-authorizer/policy/records/digests.ts";
import { type Finding, Verification } from "../../decision-log/chain/verify.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { storeValues } from "../store/store-values.ts";

/** Number of findings that are printed as text. */
const MOST_PRINTED = 100;
/** Number of findings that are kept, for `--json`. */
const MOST_KEPT = 10_000;

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
  const { findings, total, damaged } = await findingsOf(verification, flags.directory);
  const { counts } = verification;
  if (counts.chains === 0) {
    throw new AuthorizerError("unavailable", `${flags.directory} has no decision log`);
  }
  const sound = damaged === 0;
  context.finish(sound ? EXIT.ok : EXIT.failed);
  if (flags.json === true) {
    context.out(`${JSON.stringify({ sound, ...counts, findings, findings_total: total })}\n`);
    return;
  }
  const printed = findings.slice(0, MOST_PRINTED);
  for (const { file, line, message } of printed) context.out(`${file}:${line}: ${message}\n`);
  if (total > printed.length) {
    context.out(`and ${total - printed.length} more (--json lists up to ${MOST_KEPT})\n`);
  }
  const { chains, segments, lines, seals } = counts;
  const seen = `chains: ${chains}, segments: ${segments}, sound lines: ${lines}, seals: ${seals}`;
  context.out(`the decision log is ${sound ? "sound" : "damaged"} (${seen})\n`);
}

/** The findings of a verification. */
interface Found {
  /** The first ones. */
  readonly findings: readonly Finding[];
  readonly total: number;
  /** Number of those that are no torn last line. */
  readonly damaged: number;
}

async function findingsOf(verification: Verification, directory: string): Promise<Found> {
  const findings: Finding[] = [];
  let [total, damaged] = [0, 0];
  try {
    for await (const finding of verification.directory(directory)) {
      total += 1;
      if (!finding.torn) damaged += 1;
      if (findings.length < MOST_KEPT) findings.push(finding);
    }
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AuthorizerError("unavailable", `${directory} cannot be read: ${reason}`, { cause });
  }
  return { findings, total, damaged };
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
