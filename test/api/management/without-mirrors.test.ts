import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";

const authorizer = await closedAfterAll(startAuthorizer({ config: { "ui.enabled": true } }));

it("a service without regions has no replication API, and no page in its place, and says why", async () => {
  const answer = await fetch(`${authorizer.userUrl}/service/replication/v1/repositories/sales/mirrors`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    message: expect.stringContaining("authorizer.mirroring.regions"),
  });
});
