/** `svcctl tag list`. */

import { listing } from "../requests/run-list.ts";

export const listTags = listing({
  path: [
    "repositories",
    { argument: 0, name: "repository URI", kind: "repository", part: "repository" },
    "tags",
  ],
  columns: [
    { heading: "Tag", name: "id", fields: ["id"] },
    { heading: "Commit ID", name: "commit_id", fields: ["commit_id"] },
  ],
});
