/** A node that starts without its database installs its content once that is reached, however often it is lost before. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import { fillStore } from "../../src/compose/fill-store.ts";
import { openTestDirectory } from "../directory/open-test-directory.ts";
import { openedEach } from "../opened.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const opened = openedEach(() => openTestDirectory());

it("loads data sets at the next contact where the database was lost while it loaded them", async () => {
  const { directory, catalog, store } = opened;
  const file = join(temporaryFolder(), "people.json");
  writeFileSync(file, JSON.stringify({ format: 1, users: [{ username: "alice" }] }));
  const contacts = new Set<(contact: { readonly hasContact: boolean }) => void>();
  const tell = (hasContact: boolean): void => {
    for (const listener of contacts) listener({ hasContact });
  };
  const told: string[] = [];
  const values = {
    "authorizer.bootstrap": "none",
    "authorizer.datasets": [file],
    "authorizer.datasets_mode": "load",
    "authorizer.guards": "strict",
  };
  const data = {
    values: values as never,
    directory,
    catalog,
    store,
    logger: { info: () => {}, error: (message: string) => void told.push(message) },
    journal: {
      copyState: () => ({ hasContact: false }),
      onContact: (listener: Parameters<(typeof contacts)["add"]>[0]) => {
        contacts.add(listener);
        return () => contacts.delete(listener);
      },
    },
  };
  const { apply } = directory.batches;
  directory.batches.apply = async () => {
    directory.batches.apply = apply;
    throw new AuthorizerError("unavailable", "the database is gone again");
  };
  const parts = { audit: { event: () => {} } as never, opened: new AsyncDisposableStack() };
  const state = await fillStore(data as never, { env: () => undefined }, parts);
  tell(true);
  await expect.poll(() => told).toEqual([expect.stringContaining("were not loaded")]);
  tell(false);
  tell(true);
  await expect.poll(() => state.lastLoadSuccess).toBe(true);
  expect((await directory.users.get("alice")).username).toBe("alice");
  expect(contacts.size).toBe(0);
});
