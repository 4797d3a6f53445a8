/** Reads the documents of an application, which are data sets (spec/management-cli §10). */

import type { Schema } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { DatasetDocument, DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import { checkNames } from "../check-entities.ts";
import { checkForm } from "../check-form.ts";
import { type CheckedSource, type MergedDataset, mergeDatasets } from "../merge.ts";
import type { ProblemList } from "../problem-list.ts";
import type { DatasetRules } from "../world.ts";

/** Sections of a data set that an application has no say in. */
const OF_THE_SERVER: readonly (keyof DatasetDocument)[] = ["resource_types", "resources"];
const PRECONFIGURED = "the service has its preconfigured policies and groups already: leave this out";
const SERVER = "is loaded by the server (authorizer.datasets), not by an application: leave this out";

/** Members of users that let somebody act as the user, and how to make them. */
const OF_PEOPLE: ReadonlyMap<keyof DatasetUser, string> = new Map<keyof DatasetUser, string>([
  ["credentials", "svcctl auth users credentials create"],
  ["external_principals", "svcctl auth users aws-iam attach"],
  ["encryptedPassword", "the data server"],
]);

/** Reads documents. Adds what is wrong with their form and names to the problems, with the index as the file. */
export async function readDocuments(
  documents: readonly unknown[],
  {
    schema,
    rules,
    problems,
  }: {
    readonly schema: Schema;
    readonly rules: DatasetRules;
    readonly problems: ProblemList;
  },
): Promise<MergedDataset> {
  const pause = bulkPause();
  const checked: CheckedSource[] = [];
  for (const [index, value] of documents.entries()) {
    const source = { file: String(index), value, locate: () => new Map() };
    await pause();
    const form = await checkForm(source, schema, problems);
    if (form !== undefined) checked.push(form);
  }
  const merged = await mergeDatasets(checked, problems);
  for (const form of checked) {
    await pause();
    checkSections(form, problems);
  }
  for (const user of merged.users.entries.values()) {
    await pause();
    for (const [field, instead] of OF_PEOPLE) {
      if (user.value[field] === undefined) continue;
      const message = `is not applied, since it lets somebody act as the user: leave it out, and use ${instead}`;
      problems.add(user.source, `${user.pointer}/${field}`, message);
    }
  }
  await checkNames({ merged, rules, problems });
  return merged;
}

function checkSections({ source, broken }: CheckedSource, problems: ProblemList): void {
  const document = source.value as DatasetDocument;
  for (const section of OF_THE_SERVER) {
    if (document[section] !== undefined && !broken.has(`/${section}`))
      problems.add(source, `/${section}`, SERVER);
  }
  if (document.preconfigured === true) problems.add(source, "/preconfigured", PRECONFIGURED);
}
