import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { yamlOf } from "./repository.ts";

it("the data set of the sidecar manifest loads, and its user may do what its group says", async () => {
  const [map] = yamlOf("deploy/kubernetes/sidecar.yaml") as [{ data: Record<string, string> }];
  const folder = temporaryFolder();
  const dataset = join(folder, "readers.yaml");
  writeFileSync(dataset, map.data["readers.yaml"] ?? "");
  const authorizer = await startAuthorizer({ dataset });
  try {
    const allowed = async (action: string) => {
      const response = await fetch(new URL("/access/v1/check", authorizer.url), {
        method: "POST",
        headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
        body: JSON.stringify({
          user: "reporting",
          required: { action, resource: "arn:svc:fs:::repository/sales/object/2026/report.csv" },
        }),
      });
      return ((await response.json()) as { allowed: boolean }).allowed;
    };
    expect(await allowed("fs:ReadObject")).toBe(true);
    expect(await allowed("fs:WriteObject")).toBe(false);
  } finally {
    await authorizer.close();
  }
});
