import fc from "fast-check";
import { expect, it } from "vitest";

import { loadDatasets } from "../../src/datasets/load-datasets.ts";
import { openTestDirectory, type TestDirectory } from "../directory/open-test-directory.ts";
import { sized } from "../proofs/size.ts";
import { arbitraryDataset } from "./arbitrary-dataset.ts";
import { exportedText } from "./exported-text.ts";
import { fileFolder } from "./file-folder.ts";
import { largeDataset } from "./large-dataset.ts";
import { plainState } from "./plain-state.ts";

const folder = fileFolder();

async function load(into: TestDirectory, name: string, content: string | object) {
  const files = [folder.write(name, content)];
  return loadDatasets({ ...into, files, mode: "load", env: () => "a secret" });
}

async function stateOf({ directory }: TestDirectory) {
  return plainState(await directory.batches.state({ secrets: true }));
}

it.each(["json", "yaml"] as const)(
  "an export as %s with secrets loads back to the same state",
  async (format) => {
    await fc.assert(
      fc.asyncProperty(arbitraryDataset, async (dataset) => {
        const [source, copy] = await Promise.all([openTestDirectory(), openTestDirectory()]);
        await load(source, "source.json", dataset);
        const { text } = await exportedText(source.directory, { format, secrets: true });
        await load(copy, `export.${format}`, text);
        expect(await stateOf(copy)).toEqual(await stateOf(source));
        const again = await exportedText(copy.directory, { format, secrets: true });
        expect(again.text).toBe(text);
        await Promise.all([source.close(), copy.close()]);
      }),
      { numRuns: sized(15, 60) },
    );
  },
);

it("a JSON export has the bytes of JSON.stringify with an indentation of 2, and its users those of the whole state", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryDataset, async (dataset) => {
      const source = await openTestDirectory();
      await load(source, "source.json", dataset);
      const { text } = await exportedText(source.directory, { format: "json", secrets: true });
      expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
      const users = await source.directory.batches.viewing({ secrets: true }, (view) =>
        Array.fromAsync(view.everyUser()),
      );
      const { users: whole } = await source.directory.batches.state({ secrets: true });
      expect([...whole.values()]).toEqual(
        users.map(({ origin: _origin, ...user }) => expect.objectContaining(user)),
      );
      await source.close();
    }),
    { numRuns: sized(10, 30) },
  );
});

it("without secrets, access keys are left out and counted, and the rest loads back", async () => {
  const [source, copy] = await Promise.all([openTestDirectory(), openTestDirectory()]);
  await loadDatasets({
    ...source,
    files: ["fixtures/datasets/records.json"],
    mode: "load",
    env: () => "hidden value",
  });
  const { text, omittedCredentials } = await exportedText(source.directory, {
    format: "yaml",
    secrets: false,
  });
  expect(omittedCredentials).toBe(1);
  expect(text).not.toContain("hidden value");
  expect(text).not.toContain("AKIAJRITA");
  await load(copy, "public.yaml", text);
  await source.directory.credentials.delete("rita", "AKIAJRITAAAAAAAAAAAQ");
  expect(await stateOf(copy)).toEqual(await stateOf(source));
  await Promise.all([source.close(), copy.close()]);
});

it("an export of a bootstrapped store loads over another one without a change", async () => {
  const now = () => 1_800_000_000;
  const [source, copy] = await Promise.all([openTestDirectory({ now }), openTestDirectory({ now })]);
  for (const into of [source, copy]) {
    await loadDatasets({
      ...into,
      files: ["fixtures/datasets/roles.yaml"],
      mode: "load",
      env: () => undefined,
    });
  }
  const { text } = await exportedText(source.directory, { format: "json", secrets: true });
  expect([...(await load(copy, "over.json", text)).changes]).toEqual([]);
  await Promise.all([source.close(), copy.close()]);
});

it("YAML that could not be loaded for its size is refused with the advice to export JSON", async () => {
  const source = await openTestDirectory();
  await load(
    source,
    "large.json",
    largeDataset({ users: 10, groups: 50, policiesPerGroup: 10, statementsPerPolicy: 100 }),
  );
  const { directory } = source;
  await expect(exportedText(directory, { format: "yaml", secrets: false })).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("export JSON"),
  });
  expect((await exportedText(directory, { format: "json", secrets: false })).text.length).toBeGreaterThan(
    5e6,
  );
  await source.close();
});
