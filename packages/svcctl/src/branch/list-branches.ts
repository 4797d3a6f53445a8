/** `svcctl branch list`. */

import { listing } from "../requests/run-list.ts";

export const listBranches = listing({
  path: [
    "repositories",
    { argument: 0, name: "repository URI", kind: "repository", part: "repository" },
    "branches",
  ],
  columns: [
    { heading: "Branch", name: "id", fields: ["id"] },
    { heading: "Commit ID", name: "commit_id", fields: ["commit_id"] },
  ],
});
