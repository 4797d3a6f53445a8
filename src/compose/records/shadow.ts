/** The shadow candidate, as the configuration has it (spec/decision-log §4.2). */

import { randomBytes } from "node:crypto";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { cacheSettings } from "../../config/cache-settings.ts";
import { limitsOf } from "../../config/limits.ts";
import { loadDatasets } from "../../datasets/load-datasets.ts";
import { openQuietDecisions } from "../../decisions/shadow/quiet-decisions.ts";
import { openServiceShadow, type ServiceShadow } from "../../decisions/shadow/service-shadow.ts";
import { type OpenedDirectory, openDirectory } from "../../directory/open-directory.ts";
import type { Endpoints } from "../../request-map/endpoints.ts";
import { openMemoryStore } from "../../store/memory/memory-store.ts";
import { CHEAP_COST, type DataParts } from "../data.ts";
import { readOnlyMirrors } from "../mirroring.ts";
import { subjectTokens } from "../oidc.ts";
import { toldParts } from "./told-parts.ts";

const SECRET_BYTES = 30;

/** Opens the shadow and loads its candidate; undefined if none is configured. */
export async function openConfiguredShadow(
  data: DataParts,
  endpoints: Endpoints,
): Promise<ServiceShadow | undefined> {
  const { values, logger, directory, catalog, oidc } = data;
  const source = values["authorizer.shadow.candidate"];
  const share = values["authorizer.shadow.share"];
  if (source === undefined || share === 0) return undefined;
  const limits = limitsOf(values);
  const settings = {
    catalog,
    endpoints,
    cache: cacheSettings(values),
    requestProperties: values["authorizer.request_properties"],
    unknownSubjects: values["authorizer.subjects.unknown"],
    subjectTypes: values["authorizer.subjects.types"],
    subjectTokens: subjectTokens(values, oidc),
    policiesPerUser: limits.policiesPerUser,
    requestLimits: limits,
    mirrors: readOnlyMirrors(data),
  };
  return openServiceShadow({
    source,
    share,
    tell: toldParts(values),
    directory,
    logger,
    open: (of) => openQuietDecisions({ ...settings, directory: of }),
    load: (files, policies, ending) => memoryDirectory(data, { files, policies, ending }),
  });
}

/** The documents of a candidate, and what ends their loading. */
interface Candidate {
  readonly files: readonly string[];
  readonly policies: DatasetDocument["policies"];
  readonly ending: AbortSignal;
}

/** A directory in memory with data sets and policies. Throws "invalid_request" with every problem, and where it ends. */
async function memoryDirectory(
  { values, catalog }: DataParts,
  { files, policies, ending }: Candidate,
): Promise<{ readonly directory: OpenedDirectory; close(): Promise<void> }> {
  ending.throwIfAborted();
  const store = openMemoryStore();
  // The comparison and the write read it all the time, and throw then.
  const end = () => void store.close();
  ending.addEventListener("abort", end);
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
    const rules = { guards, limits };
    await loadDatasets({ directory, catalog, files, documents, mode: "load", env, ...rules, signal: ending });
    return { directory, close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    ending.removeEventListener("abort", end);
  }
}
