/** Grants, compared with what the directory says that their givers hold. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { EscalationCheck } from "../../api/management/ports.ts";
import type { Directory } from "../../directory/directory.ts";
import { GrantComparisons } from "../../threads/grant-comparisons.ts";

/** The port of the management API, with a thread that starts when it is first needed. */
export interface ServiceEscalationCheck extends EscalationCheck {
  close(): Promise<void>;
}

/** Compares grants over a directory. */
export function openEscalationCheck(
  directory: Pick<Directory, "principal">,
  catalog: Catalog,
): ServiceEscalationCheck {
  const comparisons = new GrantComparisons({ partition: catalog.partition, vocabulary: catalog });
  return {
    async excessRight(giver, granted, actsAs) {
      const held = (await directory.principal(giver))?.policies ?? [];
      return comparisons.excessRight({ giver, held, granted, actsAs });
    },
    close: () => comparisons.close(),
  };
}
