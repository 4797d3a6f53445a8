/** Records of decisions whose entry the log has lost (spec/decision-log §3.2): they are not explained on another state. */

import { afterEach, expect, it } from "vitest";
import { decisionRecords } from "../../src/compose/records/decision-records.ts";
import { openTestDirectory, type TestDirectory } from "../directory/open-test-directory.ts";

let bed: TestDirectory;
afterEach(() => bed.close());

it("an explanation is refused where another entry has the number of the one that decided", async () => {
  bed = await openTestDirectory();
  const { store, catalog } = bed;
  await bed.directory.users.create({ username: "alice" });
  const { explain } = decisionRecords({ store, catalog } as never, { index: {}, settings: {} } as never);
  const { revision, id } = store.history.head;
  const action = "fs:ReadObject";
  const resource = { arn: "arn:svc:fs:::repository/r/object/o" };
  const record = (entry: string | undefined, more: object = {}) =>
    JSON.stringify({
      format: 1,
      id: "d-1",
      revision,
      ...(entry !== undefined && { entry }),
      entrance: "check",
      subject: { type: "user", id: "alice" },
      action,
      resource,
      decision: false,
      effect: "neutral",
      determining: [],
      ...more,
    });
  await expect(explain(record("AAAAAAAA"))).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("is lost"),
  });
  const items = [
    { revision, entry: "AAAAAAAA", resource, decision: false, effect: "neutral", determining: [] },
  ];
  await expect(explain(record(id.slice(0, 8), { items }))).rejects.toMatchObject({ code: "not_found" });
  // Records of version 0.2 name no entry.
  for (const entry of [id.slice(0, 8), undefined]) {
    expect(await explain(record(entry))).toBeDefined();
  }
});
