/** `svcctl repo list`. */

import { listing } from "../requests/run-list.ts";

export const listRepositories = listing({
  path: ["repositories"],
  columns: [
    { heading: "Repository", name: "id", fields: ["id"] },
    { heading: "Creation Date", name: "creation_date", fields: ["creation_date"], kind: "date" },
    { heading: "Default Ref Name", name: "default_branch", fields: ["default_branch"] },
    { heading: "Storage ID", name: "storage_id", fields: ["storage_id", "id"] },
    { heading: "Storage Namespace", name: "storage_namespace", fields: ["storage_namespace"] },
  ],
});
