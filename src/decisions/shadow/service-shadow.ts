/** The shadow of a service: a candidate from files, loaded again when they change (spec/decision-log §4.2). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import type { Directory } from "../../directory/directory.ts";
import { documentsOf, fingerprintOf, hasEntries, isDataset, policiesOf } from "./candidate-files.ts";
import { withReplacedPolicies } from "./replaced-policies.ts";
import { type OpenCandidate, type QuietDecisions, Shadow } from "./shadow.ts";
import type { Telling } from "./shadow-question.ts";

/** A shadow whose candidate can be loaded again. */
export interface ServiceShadow {
  readonly shadow: Shadow;
  /** The files of the candidate as they are now, as a text that changes with them. */
  fingerprint(): Promise<string>;
  /** Loads the candidate. Where that fails the former one stays, and the log and the report say why. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/** The parts of a shadow. */
interface ServiceShadowOptions {
  /** A file, folder or glob. */
  readonly source: string;
  /** See `share` of {@link Shadow}. */
  readonly share: number;
  /** See `tell` of {@link Shadow}. */
  readonly tell: Telling;
  /** That of the service. */
  readonly directory: Directory;
  /** Decides over a directory, and tells nobody. */
  readonly open: (directory: Directory) => Promise<QuietDecisions>;
  /** A directory with data sets and policies. Throws "invalid_request" with every problem; the signal ends it. */
  readonly load: (
    files: readonly string[],
    policies: DatasetDocument["policies"],
    ending: AbortSignal,
  ) => Promise<{ readonly directory: Directory; close(): Promise<void> }>;
  readonly logger: {
    info(message: string, fields: Readonly<Record<string, unknown>>): void;
    error(message: string, fields: Readonly<Record<string, unknown>>): void;
  };
}

/** Opens the shadow and loads its candidate. */
export async function openServiceShadow(options: ServiceShadowOptions): Promise<ServiceShadow> {
  const { source, share, tell, directory, open, logger } = options;
  const shadow = new Shadow({ share, tell, witness: await open(directory) });
  const ending = new AbortController();
  let loads: Promise<void> = Promise.resolve();
  const load = async (): Promise<void> => {
    if (ending.signal.aborted) return;
    try {
      const candidate = await openCandidate(options, ending.signal);
      await shadow.replace(candidate);
      logger.info("shadow candidate loaded", { ...candidate.about });
    } catch (error) {
      // Broken off: nobody compares with it any more.
      if (ending.signal.aborted) return;
      shadow.failed(reasonOf(error));
      logger.error("the shadow candidate cannot be loaded; the former one stays", { source, error });
    }
  };
  const service: ServiceShadow = {
    shadow,
    fingerprint: () => fingerprintOf(source),
    load: () => {
      loads = loads.then(load);
      return loads;
    },
    close: async () => {
      ending.abort();
      await loads;
      await shadow.close();
    },
  };
  await service.load();
  return service;
}

async function openCandidate(
  { source, directory, open, load }: ServiceShadowOptions,
  ending: AbortSignal,
): Promise<OpenCandidate> {
  const { files, documents } = await documentsOf(source);
  const datasets = documents.filter(({ source: { value } }) => isDataset(value));
  const names = new Set(datasets.map(({ source: { file } }) => file));
  const loose = documents.filter((one) => !datasets.includes(one)).flatMap(policiesOf);
  const hasUsers = datasets.some(({ source: { value } }) => hasEntries(value, "users"));
  const about = { source, loaded_at: new Date().toISOString() };
  const loaded = await load(
    files.filter((file) => names.has(file)),
    loose,
    ending,
  );
  if (hasUsers) {
    const quiet = await open(loaded.directory);
    const close = async (): Promise<void> => {
      await quiet.decisions.close();
      await loaded.close();
    };
    return { ...quiet, about: { ...about, kind: "data_set" }, close };
  }
  // Loading has checked the policies; what they replace is looked up in the directory of the service.
  await loaded.close();
  const policies = documents.flatMap(policiesOf);
  if (policies.length === 0)
    throw new AuthorizerError("invalid_request", "there are no policies and no users");
  const version = `shadow ${about.loaded_at}`;
  const quiet = await open(withReplacedPolicies(directory, policies, version));
  return { ...quiet, about: { ...about, kind: "policies" }, close: async () => quiet.decisions.close() };
}

/** An error with its first problems, for the report. */
function reasonOf(error: unknown): string {
  if (!(error instanceof AuthorizerError)) return String(error);
  const details = error.problems.slice(0, 5).map(({ file, message }) => `${file ?? ""}: ${message}`);
  return [error.message, ...details].join("; ");
}
