import { describe, expect, it } from "vitest";
import { configFromObject } from "../../src/config/load.ts";
import { workerCount } from "../../src/config/values/worker-count.ts";

describe("authorizer.workers", () => {
  it.each([
    ["1", 8, 1],
    ["12", 2, 12],
    ["auto", 8, 7],
    ["auto", 1, 1],
    ["auto", 200, 32],
  ])("%s on %i cores is %i", (text, cores, count) => {
    expect(workerCount(text, cores)).toBe(count);
  });

  it.each(["0", "33", "-1", "1.5", "many", ""])("%s is refused", (text) => {
    expect(workerCount(text, 4)).toBeUndefined();
  });

  const given = (more: Record<string, unknown>) => ({
    "authorizer.workers": 2,
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    ...more,
  });
  const postgres = {
    "database.type": "postgres",
    "database.postgres.connection_string": "postgres://localhost/x",
  };

  it.each([
    [{ "database.type": "mem" }, /each process would have a directory of its own/],
    [{ ...postgres, "authorizer.replication.path": "mem" }, /the copy is in the memory of one process/],
  ])("above 1 is refused with %o, with the reason", (more, reason) => {
    expect(() => configFromObject(given(more))).toThrow(reason);
  });

  it("above 1 is taken with a shared database", () => {
    expect(configFromObject(given(postgres)).values["authorizer.workers"]).toBe("2");
  });
});
