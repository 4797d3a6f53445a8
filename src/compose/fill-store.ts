/** Filling of the store at a start: installed content and data sets. */

import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { AuditLog } from "../observe/log/audit-log.ts";
import { WorkUnderWay } from "../schedule/work-under-way.ts";
import { bootstrapStore } from "./bootstrap.ts";
import { isBreakingOff } from "./breaking-off.ts";
import type { DataParts } from "./data.ts";
import { type DatasetState, loadConfiguredDatasets } from "./datasets.ts";
import { nodeName } from "./records/decision-log.ts";

/** Time in milliseconds for which the end waits for a filling under way. */
const FILL_WITHIN_MS = 10_000;

/** The surroundings of a filling. */
interface FillParts {
  readonly audit: AuditLog;
  /** Closes before the audit log: what is begun at a contact is waited for. */
  readonly opened: AsyncDisposableStack;
}

/** Ways of a filling. */
interface FillOptions {
  readonly worker?: unknown;
  readonly env: (name: string) => string | undefined;
  /** Breaks the loading of data sets off, with its reason. */
  readonly ending?: AbortSignal;
}

/** Installs content and loads data sets, unless another process of the service does. */
export async function fillStore(
  data: DataParts,
  { worker, env, ending }: FillOptions,
  { audit, opened }: FillParts,
): Promise<DatasetState> {
  const datasets: DatasetState = { lastLoadSuccess: undefined };
  if (worker !== undefined) return datasets;
  const fill = async (): Promise<void> => {
    await bootstrapStore(data, audit);
    await data.directory.reportKeys(nodeName(data.values));
    await loadConfiguredDatasets(data, data.values, datasets, env, ending);
  };
  if (data.journal?.copyState?.().hasContact === false) opened.defer(fillOnContact(data, fill, ending));
  else await fill();
  return datasets;
}

/**
 * A node that started without its database installs nothing before it is reached. Where it is lost again meanwhile, the next
 * contact goes on: what is in force is left as it is.
 * @returns ends that, after what is under way
 */
function fillOnContact(
  { journal, logger }: DataParts,
  fill: () => Promise<void>,
  ending: AbortSignal | undefined,
): () => Promise<void> {
  const filling = new WorkUnderWay();
  let isRunning = false;
  const stop = journal?.onContact(({ hasContact }) => {
    if (!hasContact || isRunning) return;
    isRunning = true;
    const filled = fill()
      .then(
        () => stop?.(),
        (error: unknown) => {
          if (isBreakingOff(error, ending)) return;
          logger.error("content and data sets were not loaded after the database was reached", {
            error: messageOf(error),
          });
        },
      )
      .finally(() => {
        isRunning = false;
      });
    filling.add(filled);
  });
  return () => {
    stop?.();
    return filling.done(FILL_WITHIN_MS);
  };
}
