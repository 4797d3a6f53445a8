/** The real directory over a store in memory, with the catalog that ships. */

import type { Catalog } from "../../src/catalog/catalog.ts";
import { openCatalog } from "../../src/catalog/open-catalog.ts";
import type { Directory } from "../../src/directory/directory.ts";
import { openDirectory } from "../../src/directory/open-directory.ts";
import type { Guards } from "../../src/model/names.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";

/** An opened directory and the catalog it follows. */
export interface TestDirectory {
  readonly directory: Directory;
  readonly catalog: Catalog;
  close(): Promise<void>;
}

/** Opens an empty directory; cheap enough for each test to have its own. */
export async function openTestDirectory({ guards = "strict" as Guards } = {}): Promise<TestDirectory> {
  const catalog = await openCatalog({ partition: "svc" });
  const store = openMemoryStore();
  const directory = await openDirectory({
    store,
    partition: catalog.partition,
    services: catalog.services,
    resourceTypes: new Set(catalog.resourceTypes.keys()),
    guards,
    secretKey: "a key for tests, of more than 32 bytes",
    keyCost: { N: 16, r: 8, p: 1 },
  });
  return {
    directory,
    catalog,
    async close() {
      await directory.close();
      await store.close();
    },
  };
}
