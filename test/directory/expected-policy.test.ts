import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BACKENDS, codeOf } from "./backends.ts";
import { openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

const written = (action: string) => ({
  name: "P",
  statement: [{ effect: "allow" as const, action: [action], resource: "*" }],
});

describe.each(BACKENDS)("a policy that was looked at before a write, on $name", (backend) => {
  let bed: TestDirectory;
  let seen: Policy;
  beforeEach(async () => {
    bed = await openTestDirectory({ backend });
    const { policies } = bed.directory;
    await policies.create(written("fs:Read*"));
    seen = await policies.get("P");
  });
  afterEach(() => bed.close());

  const update = () => bed.directory.policies.update(written("fs:List*"), seen);
  const state = () => bed.directory.batches.state({ secrets: false });

  it("is written with as long as it says the same, also as another of the name", async () => {
    const { policies } = bed.directory;
    await policies.delete("P");
    await policies.create(written("fs:Read*"));
    await update();
    expect((await policies.get("P")).statement[0]?.action).toEqual(["fs:List*"]);
  });

  it("makes the write a conflict where it says something else by now", async () => {
    const { policies } = bed.directory;
    await policies.update(written("*"));
    const updated = await state();
    expect(await codeOf(update())).toBe("conflict");
    expect(await state()).toEqual(updated);
    await policies.delete("P");
    expect(await codeOf(update())).toBe("not_found");
    await policies.create(written("auth:*"));
    expect(await codeOf(update())).toBe("conflict");
  });
});
