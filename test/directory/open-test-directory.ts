/**
 * Opens a directory for tests: the real one over a real store, with the catalog that ships and cheap key derivation.
 */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import {
  type DirectoryOptions,
  type OpenedDirectory,
  openDirectory,
} from "../../src/directory/open-directory.ts";
import type { Store } from "../../src/store/port.ts";
import { type Backend, MEMORY } from "./backends.ts";

export const SECRET_KEY = "a secret key of the tests, long enough";

/** An open directory, the store below it and the catalog that it follows. */
export interface TestDirectory {
  readonly store: Store;
  readonly directory: OpenedDirectory;
  readonly catalog: Catalog;
  /** Closes both and removes the files of the store. */
  close(): Promise<void>;
}

let shipped: Promise<Catalog> | undefined;

function shippedCatalog(): Promise<Catalog> {
  shipped ??= openCatalog({ partition: "svc" });
  return shipped;
}

/** Opens a directory on a store that the test opened and closes itself. */
export async function openDirectoryOn(
  store: Store,
  options: Partial<DirectoryOptions> = {},
): Promise<OpenedDirectory> {
  const { partition, services, resourceTypes } = await shippedCatalog();
  return openDirectory({
    store,
    partition,
    services,
    resourceTypes: new Set(resourceTypes.keys()),
    guards: "strict",
    secretKey: SECRET_KEY,
    keyCost: { N: 16, r: 1, p: 1 },
    ...options,
  });
}

/** Opens a directory on an empty store of a backend, in memory unless the test names another. */
export async function openTestDirectory({
  backend = MEMORY,
  ...options
}: Partial<DirectoryOptions> & { readonly backend?: Backend } = {}): Promise<TestDirectory> {
  const { store, dispose } = await backend.open();
  const directory = await openDirectoryOn(store, options);
  return {
    store,
    directory,
    catalog: await shippedCatalog(),
    async close() {
      await directory.close();
      await dispose();
    },
  };
}
