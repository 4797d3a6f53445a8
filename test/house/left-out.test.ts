import { describe, expect, it } from "vitest";
import { leftOut } from "../left-out.ts";

describe("what a run left out", () => {
  it("is said once for each reason, with how to get what is missing", () => {
    const names = ["behind nginx a", "behind nginx b", "on DynamoDB Local c"];
    expect(leftOut(names)).toEqual([
      'left out: 2 × "behind nginx": runs where nginx is installed: apt-get install nginx',
      'left out: 1 × "on DynamoDB Local": runs where Java and DynamoDB Local are installed: mvn -q -f build/dynamodb-local dependency:copy-dependencies',
    ]);
  });

  it("is nothing where everything ran", () => {
    expect(leftOut([])).toEqual([]);
  });
});
