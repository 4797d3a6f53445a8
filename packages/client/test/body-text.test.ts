import { bodyText } from "@svc-authorizer/client/body-text.ts";
import { expect, it } from "vitest";

it("a bigint is sent as its digits, at any depth", () => {
  const body = {
    user: "u",
    context: { uid: 1780921717355446273n, list: [1, 2n ** 64n], level: 3, half: 0.5 },
  };
  expect(bodyText(body)).toBe(
    '{"user":"u","context":{"uid":1780921717355446273,"list":[1,18446744073709551616],"level":3,"half":0.5}}',
  );
});

it.each([2 ** 53, -(2 ** 60), 1e300, Number.NaN, Number.POSITIVE_INFINITY])(
  "%s is refused: it may be another number",
  (number) => {
    expect(() => bodyText({ context: { list: [number] } })).toThrow(TypeError);
  },
);

it("other bodies are as JSON.stringify writes them", () => {
  const body = { a: undefined, b: null, c: new Date(0), d: ["x", true], e: Number.MAX_SAFE_INTEGER };
  expect(bodyText(body)).toBe(JSON.stringify(body));
  expect(bodyText(undefined)).toBe(undefined);
});
