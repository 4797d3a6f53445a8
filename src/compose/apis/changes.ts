/** The API of changes as the configuration has it. */

import type { ChangeOptions } from "../../api/changes/routes.ts";
import { limitsOf } from "../../config/limits.ts";
import { ReplicaRecords } from "../../directory/read/replica-records.ts";
import type { DataParts } from "../data.ts";
import { changeLog } from "../store/change-log.ts";

/** The log of the directory, and what readers of it are sent. */
export function changeOptions(data: DataParts): ChangeOptions {
  const { values } = data;
  return {
    log: changeLog(data),
    records: new ReplicaRecords(data.store),
    decisions: {
      partition: values["authorizer.partition"],
      request_properties: values["authorizer.request_properties"],
      policies_per_user: limitsOf(values).policiesPerUser,
    },
  };
}
