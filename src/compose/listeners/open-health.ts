/** The state that the probes answer from, of opened data. */

import { Health } from "../../listeners/health.ts";
import { troubleInWords } from "../../store/trouble.ts";
import type { DataParts } from "../data.ts";

/** Returns the health of a service, which is starting. */
export function openHealth({ directory, store }: DataParts): Health {
  return new Health({
    checkStore: () => directory.health(),
    trouble: () => {
      const trouble = store.trouble?.();
      return trouble && troubleInWords(trouble, Date.now());
    },
  });
}
