/** Filling of the store at a start: installed content and data sets. */

import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { AuditLog } from "../observe/log/audit-log.ts";
import { bootstrapStore } from "./bootstrap.ts";
import type { DataParts } from "./data.ts";
import { type DatasetState, loadConfiguredDatasets } from "./datasets.ts";
import { nodeName } from "./records/decision-log.ts";

/** Installs content and loads data sets, unless another process of the service does. */
export async function fillStore(
  data: DataParts,
  { worker, env }: { readonly worker?: unknown; readonly env: (name: string) => string | undefined },
  audit: AuditLog,
): Promise<DatasetState> {
  const datasets: DatasetState = { lastLoadSuccess: undefined };
  if (worker !== undefined) return datasets;
  const fill = async (): Promise<void> => {
    await bootstrapStore(data, audit);
    await data.directory.reportKeys(nodeName(data.values));
    await loadConfiguredDatasets(data, data.values, datasets, env);
  };
  if (data.journal?.copyState?.().hasContact === false) fillOnContact(data, fill);
  else await fill();
  return datasets;
}

/**
 * A node that started without its database installs nothing before it is reached. Where it is lost again meanwhile, the next
 * contact goes on: what is in force is left as it is.
 */
function fillOnContact({ journal, logger }: DataParts, fill: () => Promise<void>): void {
  let isRunning = false;
  const stop = journal?.onContact(({ hasContact }) => {
    if (!hasContact || isRunning) return;
    isRunning = true;
    fill()
      .then(
        () => stop?.(),
        (error: unknown) =>
          logger.error("content and data sets were not loaded after the database was reached", {
            error: messageOf(error),
          }),
      )
      .finally(() => {
        isRunning = false;
      });
  });
}
