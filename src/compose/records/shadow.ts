/** The shadow candidate, as the configuration has it (spec/decision-log §4.2). */

import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { type PolicyDocument, readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { readDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";
import { limitsOf } from "../../config/limits.ts";
import { loadDatasets } from "../../datasets/load-datasets.ts";
import type { Decided, DecisionLog } from "../../decisions/decision-log.ts";
import { openDecisions } from "../../decisions/open-decisions.ts";
import { withReplacedPolicies } from "../../decisions/shadow/replaced-policies.ts";
import { type OpenCandidate, type QuietDecisions, Shadow } from "../../decisions/shadow/shadow.ts";
import type { Directory } from "../../directory/directory.ts";
import { type OpenedDirectory, openDirectory } from "../../directory/open-directory.ts";
import type { Endpoints } from "../../request-map/endpoints.ts";
import { Scheduler } from "../../schedule/scheduler.ts";
import { openMemoryStore } from "../../store/memory/memory-store.ts";
import { cacheSettings } from "../apis/identities.ts";
import { subjectTokens } from "../apis/oidc.ts";
import { CHEAP_COST, type DataParts } from "../data.ts";

/** Long work of a candidate takes turns this short, in milliseconds. */
const TURN_MS = 0.25;
const SECRET_BYTES = 30;
const WITHIN_FOLDER = "**/*.{json,yaml,yml}";

/** A shadow whose candidate can be loaded again. */
export interface ServiceShadow {
  readonly shadow: Shadow;
  /** The files of the candidate as they are now, as a text that changes with them. */
  fingerprint(): Promise<string>;
  /** Loads the candidate. Where that fails the former one stays, and the log and the report say why. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the shadow and loads its candidate; undefined if none is configured. */
export async function openServiceShadow(
  data: DataParts,
  endpoints: Endpoints,
): Promise<ServiceShadow | undefined> {
  const { values, logger, directory } = data;
  const source = values["authorizer.shadow.candidate"];
  const share = values["authorizer.shadow.share"];
  if (source === undefined || share === 0) return undefined;
  const open = (of: Directory) => quietDecisions(data, endpoints, of);
  const shadow = new Shadow({ share, witness: await open(directory) });
  let loads: Promise<void> = Promise.resolve();
  const load = async (): Promise<void> => {
    try {
      const candidate = await openCandidate(data, source, open);
      await shadow.replace(candidate);
      logger.info("shadow candidate loaded", { ...candidate.about });
    } catch (error) {
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
      await loads;
      await shadow.close();
    },
  };
  await service.load();
  return service;
}

/** Decides over a directory, and tells nobody. */
async function quietDecisions(
  { values, catalog, oidc }: DataParts,
  endpoints: Endpoints,
  directory: Directory,
): Promise<QuietDecisions> {
  const limits = limitsOf(values);
  let last: Decided | undefined;
  const log: DecisionLog = {
    keepsFirst: false,
    wants: () => true,
    decided: (decided) => {
      last = decided;
      return undefined;
    },
    // Every question is asked alone.
    batch: () => ({
      about: () => undefined,
      add: () => undefined,
      lastId: () => undefined,
      end: () => undefined,
    }),
  };
  const decisions = await openDecisions({
    directory,
    catalog,
    endpoints,
    audit: { decisions: "none", decision: () => undefined },
    log,
    cache: cacheSettings(values),
    requestProperties: values["authorizer.request_properties"],
    unknownSubjects: values["authorizer.subjects.unknown"],
    subjectTypes: values["authorizer.subjects.types"],
    subjectTokens: subjectTokens(values, oidc),
    policiesPerUser: limits.policiesPerUser,
    requestLimits: limits,
    scheduler: new Scheduler(TURN_MS),
  });
  return { decisions, last: () => last };
}

async function openCandidate(
  data: DataParts,
  source: string,
  open: (directory: Directory) => Promise<QuietDecisions>,
): Promise<OpenCandidate> {
  const { files, documents } = await documentsOf(source);
  const datasets = documents.filter(({ source: { value } }) => isDataset(value));
  const names = new Set(datasets.map(({ source: { file } }) => file));
  const loose = documents.filter((one) => !datasets.includes(one)).flatMap(policiesOf);
  const hasUsers = datasets.some(({ source: { value } }) => hasEntries(value, "users"));
  const about = { source, loaded_at: new Date().toISOString() };
  const loaded = await memoryDirectory(
    data,
    files.filter((file) => names.has(file)),
    loose,
  );
  if (hasUsers) {
    const quiet = await open(loaded.directory);
    const close = async (): Promise<void> => {
      quiet.decisions.close();
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
  const quiet = await open(withReplacedPolicies(data.directory, policies, version));
  return { ...quiet, about: { ...about, kind: "policies" }, close: async () => quiet.decisions.close() };
}

/** A directory in memory with data sets and policies. Throws "invalid_request" with every problem. */
async function memoryDirectory(
  { values, catalog }: DataParts,
  files: readonly string[],
  policies: DatasetDocument["policies"],
): Promise<{ readonly directory: OpenedDirectory; close(): Promise<void> }> {
  const store = openMemoryStore();
  const guards = values["authorizer.guards"];
  const limits = limitsOf(values);
  const directory = await openDirectory({
    store,
    upkeep: false,
    partition: catalog.partition,
    services: catalog.services,
    resourceTypes: new Set(catalog.resourceTypes.keys()),
    guards,
    limits,
    secretKey: randomBytes(SECRET_BYTES).toString("base64"),
    keyCost: CHEAP_COST,
  });
  const close = async (): Promise<void> => {
    await directory.close();
    await store.close();
  };
  try {
    const documents =
      policies === undefined || policies.length === 0 ? [] : [{ format: 1, policies } as const];
    // Secrets decide nothing, so that the candidate needs none of those that a data set names.
    const env = () => randomBytes(SECRET_BYTES).toString("base64");
    await loadDatasets({ directory, catalog, files, documents, mode: "load", env, guards, limits });
    return { directory, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The documents of a file, folder or glob. */
async function documentsOf(
  source: string,
): Promise<{ readonly files: readonly string[]; readonly documents: readonly PolicyDocument[] }> {
  const { files, problems } = await filesOf(source);
  const found: Problem[] = [...problems];
  const documents: PolicyDocument[] = [];
  for (const file of files) {
    const read = await readDocument(file, "policy");
    if (!("source" in read)) {
      found.push(...read.problems);
      continue;
    }
    const document = readPolicies(read.source, basename(file).replace(/\..*$/, "") || "policy");
    documents.push(document);
    // A data set is checked when it is loaded.
    if (!isDataset(read.source.value)) {
      found.push(...document.problems.map((problem) => ({ ...problem, file })));
    }
  }
  if (found.length > 0)
    throw new AuthorizerError("invalid_request", "the candidate cannot be read", { problems: found });
  return { files, documents };
}

async function filesOf(source: string) {
  const isFolder = (await stat(source).catch(() => undefined))?.isDirectory() === true;
  return selectFiles([isFolder ? `${source}/${WITHIN_FOLDER}` : source]);
}

async function fingerprintOf(source: string): Promise<string> {
  const { files } = await filesOf(source);
  const states = files.map(async (file) => {
    const status = await stat(file).catch(() => undefined);
    return [file, status?.mtimeMs, status?.size];
  });
  return JSON.stringify(await Promise.all(states));
}

function policiesOf({ policies }: PolicyDocument) {
  return policies.map(({ name, statement }) => ({ name, statement }));
}

function isDataset(value: unknown): boolean {
  return typeof value === "object" && value !== null && "format" in value;
}

function hasEntries(value: unknown, member: string): boolean {
  const entries = (value as Readonly<Record<string, unknown>>)[member];
  return Array.isArray(entries) && entries.length > 0;
}

/** An error with its first problems, for the report. */
function reasonOf(error: unknown): string {
  if (!(error instanceof AuthorizerError)) return String(error);
  const details = error.problems.slice(0, 5).map(({ file, message }) => `${file ?? ""}: ${message}`);
  return [error.message, ...details].join("; ");
}
