/** Answers of something that is not the service: commands say that they have none, and print nothing that looks like one. */

import { expect, it } from "vitest";
import { replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";

it.each([
  "access review",
  "access suggest --user u",
  "audit show a-1",
  "auth can --user u --action fs:ReadObject --resource *",
  "auth plan --user u --action fs:ReadObject",
  "auth what-can --user u --resource *",
  "auth who-can --action fs:ReadObject --resource *",
  "auth whoami",
  "decisions show d-1",
  "decisions show d-1 --explain",
  "gc get-config svc://sales",
  "mirror branches sales sales-west",
  "mirror show sales sales-west",
  "shadow report",
])("svcctl %s", async (line) => {
  const server = await replay(Array.from({ length: 3 }, () => ({ status: 200, body: { status: "ok" } })));
  const finished = await svcctl(line.split(" "), { env: server.env });
  expect(finished).toMatchObject({ code: 1, stdout: "" });
  expect(finished.stderr).toContain("Bad response from server\n");
  expect(server.asked.length).toBeGreaterThan(0);
});
