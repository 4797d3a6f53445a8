import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildManifest } from "./build-manifest.ts";

const SHIPPED = new URL("../../../../policies/", import.meta.url);

let folder: string;
let directory: URL;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "catalog-"));
  directory = pathToFileURL(`${folder}/`);
  cpSync(SHIPPED, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

function edit(path: string, change: (text: string) => string, keepManifest = false): void {
  const file = join(folder, path);
  writeFileSync(file, change(readFileSync(file, "utf8")));
  if (keepManifest) return;
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(buildManifest(directory, "2026.11.0")));
}

async function refusal(): Promise<readonly Problem[]> {
  const error: unknown = await openCatalog({ partition: "svc", directory }).catch(
    (thrown: unknown) => thrown,
  );
  if (!isErrorCode(error, "invalid_request")) throw new Error("was not refused", { cause: error });
  for (const { file } of error.problems) expect(error.message).toContain(file);
  return error.problems;
}

describe("a changed set", () => {
  it("is refused when a file was tampered with, naming it", async () => {
    edit("preconfigured/policies.json", (text) => text.replace("auth:ListCredentials", "auth:*"), true);
    expect(await refusal()).toEqual([expect.objectContaining({ file: "preconfigured/policies.json" })]);
  });

  it("is refused when a schema was tampered with", async () => {
    edit("schema/policy.schema.json", (text) => text.replace('"deny"', '"Deny"'), true);
    expect(await refusal()).toEqual([expect.objectContaining({ file: "schema/policy.schema.json" })]);
  });

  it("is refused when the manifest's list was edited", async () => {
    edit("manifest.json", (text) => text.replace('"version": "', '"version": "9'), true);
    expect(await refusal()).toEqual([expect.objectContaining({ file: "manifest.json", pointer: "/digest" })]);
  });

  it("is accepted when only white space differs", async () => {
    edit("actions.json", (text) => JSON.stringify(JSON.parse(text)).concat("\r\n"), true);
    const changed = await openCatalog({ partition: "svc", directory });
    expect(changed.digest).toBe((await openCatalog({ partition: "svc" })).digest);
  });

  it("has another digest when its content differs", async () => {
    edit("actions.json", (text) => text.replace("Read a tag", "Look at a tag"));
    const changed = await openCatalog({ partition: "svc", directory });
    expect(changed.digest).not.toBe((await openCatalog({ partition: "svc" })).digest);
  });

  it("is refused when a file is missing", async () => {
    rmSync(join(folder, "actions.json"));
    expect(await refusal()).toEqual([expect.objectContaining({ file: "actions.json" })]);
  });

  it("is refused when a file is no JSON", async () => {
    edit("actions.json", (text) => text.slice(1), true);
    expect(await refusal()).toEqual([
      expect.objectContaining({ file: "actions.json", message: "is no JSON" }),
    ]);
  });

  it("is refused when its format is newer", async () => {
    edit("manifest.json", (text) => text.replace('"format": 1', '"format": 2'), true);
    expect(await refusal()).toEqual([expect.objectContaining({ file: "manifest.json", pointer: "/format" })]);
  });

  it("may not name files outside its folder", async () => {
    edit("manifest.json", (text) => text.replace('"actions.json"', '"../actions.json"'), true);
    expect(await refusal()).toEqual([expect.objectContaining({ file: "manifest.json", pointer: "/files" })]);
  });
});

describe("a well-described set", () => {
  it("is refused when files do not fit their schemas, all at once", async () => {
    edit("actions.json", (text) => text.replace('"meaning": "Read a tag"', '"meaning": ""'));
    edit("preconfigured/groups.json", (text) => text.replace('"Admins"', "7"));
    expect(await refusal()).toEqual([
      expect.objectContaining({ file: "actions.json" }),
      expect.objectContaining({ file: "preconfigured/groups.json", pointer: "/groups/0/name" }),
    ]);
  });

  it("is refused when its parts do not fit together", async () => {
    edit("preconfigured/groups.json", (text) => text.replace('"FSReadAll"', '"FSReadNone"'));
    edit("preconfigured/policies.json", (text) => text.replaceAll("pr:*", "prs:*"));
    edit("resource-types.json", (text) => text.replace('"fs:ReadTag"', '"fs:SeeTag"'));
    edit("templates/replication-narrow.json", (text) =>
      text.replace('"name": "mirrorId"', '"name": "mirror"'),
    );
    const found = (await refusal()).map(({ file, pointer }) => `${file} ${pointer}`);
    expect(found).toEqual([
      "resource types /tag/actions/read",
      "preconfigured policies /RepoManagementFullAccess/statement/2/action/1",
      "preconfigured policies /PRReadWriteAll/statement/0/action/0",
      "policy template replication-narrow /parameters",
      "preconfigured groups /Viewers",
    ]);
  });
});

describe("another partition", () => {
  it("replaces the partition of every ARN and nothing else", async () => {
    const [svc, other] = await Promise.all([
      openCatalog({ partition: "svc" }),
      openCatalog({ partition: "acme" }),
    ]);
    const plain = ({ preconfigured, resourceTypes, templates }: typeof svc): string =>
      JSON.stringify([preconfigured, [...resourceTypes], [...templates]]);
    expect(plain(other)).not.toContain("arn:svc:");
    expect(plain(other).replaceAll("arn:acme:", "arn:svc:")).toBe(plain(svc));
    expect(other.digest).toBe(svc.digest);
    expect(other.resourceTypes.get("branch")?.arn).toBe(
      "arn:acme:fs:::repository/{repository}/branch/{branch}",
    );
  });

  it("reaches into arrays of resources, and leaves look-alikes in the last field", async () => {
    const resource = '["arn:svc:fs:::repository/arn:svc:x","*"]';
    edit("templates/replication-full.json", (text) =>
      text.replace('"resource": "*"', `"resource": ${JSON.stringify(resource)}`),
    );
    const { templates } = await openCatalog({ partition: "acme", directory });
    const filled = templates.get("replication-full")?.policy.statement[0]?.resource;
    expect(filled).toBe('["arn:acme:fs:::repository/arn:svc:x","*"]');
  });

  it.each(["", "a:b", "*", "a b", "é"])("cannot be %j", async (partition) => {
    await expect(openCatalog({ partition })).rejects.toMatchObject({ code: "invalid_request" });
  });
});
