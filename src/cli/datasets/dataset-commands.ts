/** Implements `svc-authorizer load`, `sync` and `export` on an open directory. */

import { open, rename, rm } from "node:fs/promises";
import { inChunks } from "@svc-authorizer/commands/in-chunks.ts";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { exportDataset } from "../../datasets/export-dataset.ts";
import { formatProblem, headline } from "../../datasets/format-problem.ts";
import {
  type DatasetProgress,
  type DatasetReport,
  type LoadOptions,
  loadDatasets,
} from "../../datasets/load-datasets.ts";
import { formatReport, jsonReport } from "../../datasets/report.ts";
import type { Directory } from "../../directory/directory.ts";

/** The open directory and its surroundings. */
export interface DatasetCommandParts {
  readonly directory: Directory;
  readonly catalog: Catalog;
  /** Writes to standard output; gets whole lines. Resolves when the reader has room for more; undefined where it has. */
  readonly out: (text: string) => Promise<void> | undefined;
  /** Writes to standard error; gets whole lines. */
  readonly err: (text: string) => void;
}

/** Arguments of `load` and `sync` (`load --mode sync`). */
interface LoadCommandOptions
  extends Pick<LoadOptions, "files" | "mode" | "env" | "dryRun" | "yes" | "guards" | "limits" | "overflow"> {
  /** One JSON document on standard output instead of lines. */
  readonly json?: boolean;
}

/** Arguments of `export`. */
interface ExportCommandOptions {
  readonly format: "json" | "yaml";
  readonly secrets: boolean;
  /** Revision whose state is written; absent: the newest. */
  readonly revision?: number;
  /** File to write (mode 600, replaced where it exists); default standard output. */
  readonly output?: string;
}

const SUCCESS = 0;
const FAILURE = 1;
const PROGRESS_INTERVAL_MS = 2_000;

/** Says now and then how far a long load is; a short one says nothing. */
function progressLines(err: (text: string) => void): (progress: DatasetProgress) => void {
  let last = Date.now();
  return ({ phase, done, total }) => {
    if (phase === "check" || Date.now() - last < PROGRESS_INTERVAL_MS) return;
    last = Date.now();
    err(`${phase === "read" ? "read" : "applied"} ${done} of ${total}\n`);
  };
}

/** Replaces a file by one that only its owner can read, of what `produce` writes; leaves it as it is where that fails. */
async function writePrivate<T>(
  file: string,
  produce: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const written = `${file}.${process.pid}.tmp`;
  const failed = (error: unknown): never => {
    throw new AuthorizerError("invalid_request", `${file} cannot be written`, { cause: error });
  };
  const handle = await open(written, "wx", 0o600).catch(failed);
  try {
    const result = await produce((text) => handle.appendFile(text).catch(failed));
    await handle.close().catch(failed);
    await rename(written, file).catch(failed);
    return result;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(written, { force: true });
    throw error;
  }
}

async function reportFailure(parts: DatasetCommandParts, error: unknown, json: boolean): Promise<number> {
  if (!(error instanceof AuthorizerError)) throw error;
  const { code, problems } = error;
  const message = headline(error);
  if (json) await parts.out(`${JSON.stringify({ error: { code, message, problems } })}\n`);
  for (const problem of problems) parts.err(`${formatProblem(problem)}\n`);
  parts.err(`${message}\n`);
  return FAILURE;
}

/**
 * Loads or syncs files and prints the diff. Answers the exit code: 0 done (or would be, for a dry run), 1 refused,
 * with every problem on standard error, or done but not printed, which it says. Errors other than AuthorizerError are thrown.
 */
export async function runLoad(parts: DatasetCommandParts, options: LoadCommandOptions): Promise<number> {
  const { directory, catalog, out, err } = parts;
  const { json = false, ...load } = options;
  let report: DatasetReport;
  try {
    report = await loadDatasets({ directory, catalog, ...load, onProgress: progressLines(err) });
  } catch (error) {
    return await reportFailure(parts, error, json);
  }
  try {
    if (json) for (const text of jsonReport(report)) await out(text);
    else for await (const text of inChunks(formatReport(report))) await out(text);
    return SUCCESS;
  } catch (error) {
    if (!(error instanceof AuthorizerError)) throw error;
    const done = report.dryRun ? "nothing was loaded" : "the data sets are in force";
    err(`${done}, but the changes cannot be listed: ${headline(error)}\n`);
    return FAILURE;
  }
}

/** Writes the directory as a data set. Answers the exit code: 0 written, 1 refused. */
export async function runExport(parts: DatasetCommandParts, options: ExportCommandOptions): Promise<number> {
  const { directory, out, err } = parts;
  const { output, ...what } = options;
  try {
    const { omittedCredentials, omittedMemberships, omittedServiceUsers } = await (output === undefined
      ? exportDataset(directory, what, out)
      : writePrivate(output, (write) => exportDataset(directory, what, write)));
    if (omittedServiceUsers > 0)
      err(
        `${omittedServiceUsers} users of mirrors were left out with their policies: each mirror makes its own\n`,
      );
    if (omittedCredentials > 0)
      err(
        what.secrets
          ? `${omittedCredentials} access keys were left out: no present key opens their secrets\n`
          : `${omittedCredentials} access keys were left out; --secrets writes them\n`,
      );
    if (omittedMemberships > 0)
      err(
        `${omittedMemberships} memberships were left out: claims of an identity provider made them, and make them again when the people sign in\n`,
      );
    return SUCCESS;
  } catch (error) {
    return await reportFailure(parts, error, false);
  }
}
