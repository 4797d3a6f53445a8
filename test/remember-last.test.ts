import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rememberLast } from "../src/remember-last.ts";

/** Few values, so that neighbours are often equal; among them all that could stand for "nothing yet". */
const ARGUMENT = fc.constantFrom<unknown>("", "a", "b", undefined, null, 0, 1, Number.NaN, false);

describe("a function that remembers its last result", () => {
  it("answers as the function does, and asks it only for another argument than the one before", () => {
    fc.assert(
      fc.property(fc.array(ARGUMENT), fc.func(fc.anything()), (values, compute) => {
        const asked: unknown[] = [];
        const remembered = rememberLast((argument: unknown) => {
          asked.push(argument);
          return compute(argument);
        });
        expect(values.map((argument) => remembered(argument))).toEqual(values.map((one) => compute(one)));
        expect(asked).toEqual(values.filter((value, at) => at === 0 || value !== values[at - 1]));
      }),
    );
  });

  it("remembers nothing of a call that threw, and keeps what it had", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "fails")), (values) => {
        let asked = 0;
        let kept: string | undefined;
        const remembered = rememberLast((argument: string) => {
          asked += 1;
          if (argument === "fails") throw new Error(argument);
          return argument.repeat(2);
        });
        for (const value of values) {
          const before = asked;
          if (value === "fails") expect(() => remembered(value)).toThrow("fails");
          else expect(remembered(value)).toBe(value.repeat(2));
          expect(asked - before).toBe(value === kept ? 0 : 1);
          if (value !== "fails") kept = value;
        }
      }),
    );
  });

  it("keeps apart what two of them remember", () => {
    const upper = rememberLast((text: string) => text.toUpperCase());
    const length = rememberLast((text: string) => text.length);
    expect([upper("a"), length("a"), upper("a")]).toEqual(["A", 1, "A"]);
  });
});
