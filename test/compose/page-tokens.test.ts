import { expect, it } from "vitest";
import { pageTokenKeys } from "../../src/compose/listeners/listener-settings.ts";
import type { ConfigValues } from "../../src/config/table.ts";

const keysOf = (current?: string, previous?: string): string[] =>
  pageTokenKeys({
    "auth.encrypt.secret_key": current,
    "authorizer.previous_secret_key": previous,
  } as unknown as ConfigValues).map((key) => key.toString("hex"));

it("keys of page tokens follow from the secret keys, the current one first", () => {
  const [one] = keysOf("a secret key of one store");
  const [other] = keysOf("a secret key of another one");
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(keysOf("a secret key of one store")).toEqual([one]);
  expect(other).not.toBe(one);
  expect(keysOf("a secret key of one store", "a secret key of another one")).toEqual([one, other]);
  expect(keysOf(undefined, "")).toEqual([]);
});
