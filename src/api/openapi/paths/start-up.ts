/** What a data server asks when it starts. */

import type { Paths } from "../openapi-types.ts";
import { emptyAnswer, operation } from "../operation.ts";
import { getOne } from "./authorization-forms.ts";

const TAG = "service";

/** `/healthcheck` and `/config/version`. */
export const START_UP_PATHS: Paths = {
  "/api/v1/healthcheck": {
    get: operation({
      id: "healthCheck",
      tag: TAG,
      summary: "Whether the data-server API answers",
      scope: null,
      status: 204,
      answer: emptyAnswer("It does."),
      errors: [503],
    }),
  },
  "/api/v1/config/version": {
    get: getOne({ id: "getVersion", tag: TAG, summary: "Get the version" }, "Version", { errors: [] }),
  },
};
