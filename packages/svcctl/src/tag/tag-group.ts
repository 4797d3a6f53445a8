/** `svcctl tag`, as data. */

import { JSON_OUTPUT, PAGING } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";
import { EXAMPLE, REPOSITORY, TAG } from "../uri/arguments.ts";

const V1 = `${EXAMPLE}/v1`;

/** Tags of a repository. */
export const TAG_GROUP: GroupSpec = {
  name: "tag",
  description: "Manages tags of a repository.",
  commands: [
    {
      ...REPOSITORY,
      name: "list",
      description: "Lists the tags of a repository.",
      examples: [EXAMPLE, `${EXAMPLE} --prefix v1 --amount 20`],
      options: PAGING,
      load: async () => (await import("./list-tags.ts")).listTags,
    },
    {
      name: "create",
      description: "Creates a tag.",
      arguments: "<tag-uri> <commit-uri>",
      argumentCount: [2, 2],
      examples: [`${V1} ${EXAMPLE}/main`, `${V1} ${EXAMPLE}/main --force`],
      options: [{ flags: "-f, --force", description: "override the tag if it exists" }, JSON_OUTPUT],
      load: async () => (await import("./create-tag.ts")).createTag,
    },
    {
      ...TAG,
      name: "delete",
      mustName: true,
      description: "Deletes a tag.",
      examples: [V1],
      options: [JSON_OUTPUT],
      load: async () => (await import("./delete-tag.ts")).deleteTag,
    },
    {
      ...TAG,
      name: "show",
      description: "Shows the commit of a tag.",
      examples: [V1],
      options: [JSON_OUTPUT],
      load: async () => (await import("./show-tag.ts")).showTag,
    },
  ],
};
