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

  it.each([
    ["mem", /each process would have a directory of its own/],
    ["postgres", /start several nodes instead/],
  ])("above 1 is refused with database.type %s, with the reason", (type, reason) => {
    const config = {
      "database.type": type,
      "database.postgres.connection_string": "postgres://localhost/x",
      "authorizer.workers": 2,
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    };
    expect(() => configFromObject(config)).toThrow(reason);
  });
});
