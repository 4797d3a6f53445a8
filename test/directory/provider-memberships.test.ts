/** Memberships that claims of an identity provider made: a copy of the directory never makes them lasting (spec/sign-in §1). */

import { expect, it } from "vitest";

import { loadDatasets } from "../../src/datasets/load-datasets.ts";
import { exportedText } from "../datasets/exported-text.ts";
import { fileFolder } from "../datasets/file-folder.ts";
import { openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

const folder = fileFolder();

function signIn({ directory }: TestDirectory, groups: readonly string[]) {
  return directory
    .provisioning(() => false)
    .signIn({
      issuer: "corp",
      externalId: "corp:1",
      username: "alice",
      groups,
      initialGroups: [],
      isNamed: () => false,
      friendlyName: undefined,
      mayCreate: true,
      byName: false,
    });
}

async function world(): Promise<TestDirectory> {
  const opened = await openTestDirectory();
  for (const name of ["Writers", "Readers"]) await opened.directory.groups.create({ name });
  await signIn(opened, ["Writers"]);
  await opened.directory.groups.addMember("Readers", "alice");
  return opened;
}

const groupsOf = async ({ directory }: TestDirectory): Promise<string[]> =>
  (await directory.users.groups("alice", { amount: 10 })).results.map(({ name }) => name);

it("are left out of an export, and counted", async () => {
  const source = await world();
  const { text, omittedMemberships } = await exportedText(source.directory, {
    format: "json",
    secrets: false,
  });
  expect(omittedMemberships).toBe(1);
  const { users } = JSON.parse(text) as { readonly users: readonly unknown[] };
  expect(users).toMatchObject([{ username: "alice", groups: ["Readers"] }]);
  await source.close();
});

it("come back with a restored state as what they were: the next claims take them back", async () => {
  const source = await world();
  const revision = await source.directory.history.revisionAt(new Date());
  await signIn(source, []);
  expect(await groupsOf(source)).toEqual(["Readers"]);
  await source.directory.history.restore(revision, {
    dryRun: false,
    withCredentials: false,
    forgetRevocations: false,
  });
  expect(await groupsOf(source)).toEqual(["Readers", "Writers"]);
  await signIn(source, []);
  expect(await groupsOf(source)).toEqual(["Readers"]);
  await source.close();
});

it("stay where a data set names them", async () => {
  const source = await world();
  const users = [{ username: "alice", groups: ["Writers"] }];
  const files = [folder.write("writers.json", { format: 1, users })];
  await loadDatasets({ ...source, files, mode: "load", env: () => undefined });
  await signIn(source, []);
  expect(await groupsOf(source)).toEqual(["Readers", "Writers"]);
  await source.close();
});
