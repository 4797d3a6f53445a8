/** Loads data sets into the directory: all files together, atomically (spec/decision-api §6). */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import type { Guards } from "@svc-authorizer/policy/model/names.ts";
import type { PolicyLimits } from "@svc-authorizer/policy/model/policy-validation.ts";
import { compileTemplate } from "@svc-authorizer/policy/model/template.ts";
import type { LongList } from "../compact/long-list.ts";
import { Overflow } from "../compact/overflow.ts";
import type { BatchOptions } from "../directory/batch.ts";
import type { Directory } from "../directory/directory.ts";
import type { Change, ChangeCounts } from "./change.ts";
import { type Compared, compareDatasets } from "./compare-datasets.ts";
import type { PieceDigests } from "./piece-digests.ts";
import { PIECE_SIZE, type Piece, type PieceSize, type Reading } from "./pieces/piece.ts";
import type { DatasetMode } from "./plan.ts";
import { ProblemList } from "./problem-list.ts";
import { readDatasets } from "./read-datasets.ts";
import type { Environment } from "./secrets.ts";
import type { DatasetRules } from "./world.ts";

/** The progress of a load: files read, contents checked, operations applied. */
export interface DatasetProgress {
  readonly phase: "read" | "check" | "apply";
  readonly done: number;
  readonly total: number;
}

/** The files that were read, and the state with which they were compared. */
export interface ReadState {
  /** Paths in the order of reading, with digests of their bytes. */
  readonly files: readonly (readonly [path: string, digest: string])[];
  /** Names of the environment variables with secrets. */
  readonly environment: readonly string[];
  readonly revision: number;
  /** True if the comparison found something to change. */
  readonly hasChanges: boolean;
  /** Of all files; undefined where nobody asked. */
  readonly pieces: PieceDigests | undefined;
  /** True if the data sets name the preconfigured entities. */
  readonly preconfigured: boolean;
}

/** Finds what is in force of the pieces of files. */
export interface LoadBefore {
  /** Makes digests of the pieces of one load. */
  digests(): PieceDigests;
  /** Returns what tells pieces that are valid in form, as an earlier load found; undefined where nothing does. */
  valid(pieces: PieceDigests): Promise<Reading["isValid"]>;
  /** Returns what tells the numbers of pieces that are in force in a state; undefined where each has to be compared. */
  inForce(
    read: Pick<ReadState, "environment" | "revision" | "preconfigured"> & { readonly pieces: PieceDigests },
  ): Promise<((number: number) => boolean) | undefined>;
}

/** Options of {@link loadDatasets}. */
export interface LoadOptions {
  readonly directory: Directory;
  readonly catalog: Catalog;
  /** Paths and globs (`authorizer.datasets`). */
  readonly files: readonly string[];
  /** Data sets of a program. Problems name them `data set 1` and so on. */
  readonly documents?: readonly DatasetDocument[];
  /**
   * `load` creates missing entities. `sync` makes the directory equal to the files, and removes what an earlier sync
   * created.
   */
  readonly mode: DatasetMode;
  /** Report the changes without making them. */
  readonly dryRun?: boolean;
  /** Allow a sync to remove more than half of what it manages. */
  readonly yes?: boolean;
  /** Reads environment variables, for `secret_access_key_env`. */
  readonly env: Environment;
  /** `authorizer.guards`; default strict. */
  readonly guards?: Guards;
  /** `authorizer.limits` of policies. Absent members have their default. */
  readonly limits?: Partial<PolicyLimits>;
  readonly onProgress?: (progress: DatasetProgress) => void;
  /** Makes the mark that is left together with the changes, see {@link BatchOptions.mark}. */
  readonly mark?: (read: ReadState) => NonNullable<BatchOptions["mark"]>;
  /** Finds what an earlier load left in force, so that only the other pieces are compared. */
  readonly before?: LoadBefore;
  /** Pieces in which files are read; default {@link PIECE_SIZE}. */
  readonly size?: PieceSize;
  /** Keeps what is long, also of the report, until it is closed. Default: memory. */
  readonly overflow?: Overflow;
  /** Breaks the load off, with the reason of the signal, and nothing changed. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a load, or of a dry run. */
export interface DatasetReport {
  readonly mode: DatasetMode;
  /** True if nothing was written. */
  readonly dryRun: boolean;
  /** The files read. */
  readonly files: readonly string[];
  readonly changes: LongList<Change>;
  readonly counts: ChangeCounts;
  /** True if a sync removes more than half of what it manages; without `yes` it is refused. */
  readonly needsYes: boolean;
  /** Number of steps towards these changes that were not taken, as others had made or changed the same things meanwhile. */
  readonly left: number;
}

function rulesOf({ catalog, guards = "strict", limits = {} }: LoadOptions): DatasetRules {
  const { policies, groups } = catalog.preconfigured;
  return {
    partition: catalog.partition,
    guards,
    limits,
    preconfigured: {
      policies: policies.map(({ name, statement }) => ({ name, statement })),
      groups: groups.map(({ name, description, policies: names }) => ({
        name,
        description,
        policies: names,
      })),
    },
    builtInServices: catalog.services,
    builtInTypes: new Map([...catalog.resourceTypes].map(([name, type]) => [name, compileTemplate(type)])),
  };
}

function isMoreThanHalf({ removed, managed }: Compared["share"]): boolean {
  return removed * 2 > managed;
}

function refusal({ removed, managed }: Compared["share"]): AuthorizerError {
  return new AuthorizerError(
    "conflict",
    `sync would remove ${removed} of the ${managed} things it manages, which is more than half; ` +
      "check the files with --dry-run, and confirm with --yes if that is meant. Nothing was changed",
  );
}

/** Reads, checks and plans. */
async function prepare(options: LoadOptions) {
  const { directory, mode, env, catalog, onProgress, signal, size = PIECE_SIZE } = options;
  const { overflow = new Overflow() } = options;
  const problems = new ProblemList();
  const pieces = options.before?.digests();
  const input = {
    files: options.files,
    documents: options.documents ?? [],
    schema: catalog.schema("dataset"),
    size,
    overflow,
    onPiece: (piece: Piece) => {
      signal?.throwIfAborted();
      pieces?.add(piece);
    },
    isValid: pieces && (await options.before?.valid(pieces)),
    onRead: (done: number, total: number) => onProgress?.({ phase: "read", done, total }),
  };
  const read = await readDatasets(input, problems);
  onProgress?.({ phase: "check", done: 0, total: 1 });
  const rules = rulesOf(options);
  const secrets = mode === "sync" && read.index.hasCredentials;
  const environment = [...read.index.environment].sort();
  const { preconfigured } = read.index;
  const { plan, share, revision } = await directory.batches.viewing({ secrets }, async (view) => {
    const state = { environment, revision: view.revision, preconfigured };
    const isInForce = pieces && (await options.before?.inForce({ ...state, pieces }));
    const comparing = { view, rules, mode, env, problems, overflow, signal };
    const compared = await compareDatasets(read, { ...comparing, isInForce });
    // What is in force was not counted, of which the removals are a share.
    if (isInForce === undefined || !isMoreThanHalf(compared.share)) return compared;
    return compareDatasets(read, comparing);
  });
  onProgress?.({ phase: "check", done: 1, total: 1 });
  const digests = read.sources.map(({ file, digest }) => [file, digest ?? ""] as const);
  const hasChanges = plan.operations.length > 0;
  const state = { files: digests, environment, revision, hasChanges, pieces, preconfigured };
  return { files: read.files, plan, share, state };
}

/**
 * Loads data sets. Readers of the directory see all of it or nothing.
 * @throws AuthorizerError "invalid_request" with every problem of all files (file, line, column, pointer), or if no
 * file is named; "conflict" for a sync that needs `yes`; errors of the directory
 */
export async function loadDatasets(options: LoadOptions): Promise<DatasetReport> {
  const { directory, mode, dryRun = false, yes = false, onProgress, signal } = options;
  if (options.files.length + (options.documents?.length ?? 0) === 0)
    throw new AuthorizerError("invalid_request", "no data set file is named");
  const { files, plan, share, state } = await prepare(options);
  const mark = options.mark?.(state);
  const { operations, changes, counts } = plan;
  const needsYes = isMoreThanHalf(share);
  let left = 0;
  if (!dryRun) {
    if (needsYes && !yes) throw refusal(share);
    if (operations.length > 0 || mark !== undefined) {
      left = await directory.batches.apply(operations, {
        managed: mode === "sync",
        // Others may have written since the comparison.
        leaves: mode === "sync" ? "unmanaged" : "existing",
        ...(mark !== undefined && { mark }),
        signal,
        onProgress: (done, total) => onProgress?.({ phase: "apply", done, total }),
      });
    }
  }
  return { mode, dryRun, files, changes, counts, needsYes, left };
}
