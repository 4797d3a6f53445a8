import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";

const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: "alice", policies: ["Read"] }],
      policies: [
        {
          name: "Read",
          statement: [
            { effect: "allow", action: ["fs:ReadObject"], resource: "arn:svc:fs:::repository/data/object/*" },
          ],
        },
      ],
    },
  }),
);

async function ask(api: string, host: string) {
  const response = await fetch(`${authorizer.url}/access/v1/request`, {
    method: "POST",
    headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
    body: JSON.stringify({ user: "alice", method: "GET", path: "/main/a.csv", api, headers: { host } }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

it("reads buckets from hosts below s3.localhost, without any configuration", async () => {
  expect(await ask("gateway", "data.s3.localhost:8000")).toMatchObject({
    status: 200,
    operation: "GetObject",
    required: { resource: "arn:svc:fs:::repository/data/object/a.csv" },
    allowed: true,
  });
  expect(await ask("main", "data.s3.localhost:8000")).toMatchObject({ status: 400 });
  expect(await ask("gateway", "data.localhost:8000")).toMatchObject({ status: 400 });
});
