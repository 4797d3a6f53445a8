/** `filterAllowed` over more items than one call takes. */

import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { filterAllowed } from "@svc-authorizer/client/filter-allowed.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: "alice", policies: ["Own"] }],
      policies: [
        {
          name: "Own",
          statement: [
            { effect: "allow", action: ["fs:ReadRepository"], resource: "arn:svc:fs:::repository/own-*" },
          ],
        },
      ],
    },
  });
});
afterAll(() => authorizer.close());

const question = {
  user: "alice",
  action: "fs:ReadRepository",
  resource: ({ name }: { name: string }) => `arn:svc:fs:::repository/${name}`,
};

it("keeps the allowed items in their order", async () => {
  const items = Array.from({ length: 25_000 }, (_, n) => ({
    name: `${n % 3 === 0 ? "own" : "other"}-${n}`,
    n,
  }));
  const allowed = await filterAllowed(authorizer.client, question, items);
  expect(allowed).toEqual(items.filter(({ n }) => n % 3 === 0));
});

it("allows nothing of an empty list, and throws where no answer comes", async () => {
  expect(await filterAllowed(authorizer.client, question, [])).toEqual([]);
  const gone = new AuthorizerClient({ url: "http://127.0.0.1:1", token: "t", retries: 0 });
  await expect(filterAllowed(gone, question, [{ name: "own-1" }])).rejects.toMatchObject({
    code: "unreachable",
  });
});
