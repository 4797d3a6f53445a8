/** The generated sources of the client follow the OpenAPI document and the catalog. */
import { execFileSync } from "node:child_process";
import { it } from "vitest";

it("has no drift (node build/generate-client.ts)", () => {
  execFileSync(process.execPath, ["build/generate-client.ts", "--check"], { stdio: "pipe", timeout: 60_000 });
});
