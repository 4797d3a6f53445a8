import { readFileSync } from "node:fs";
import { widening } from "@svc-authorizer/policy/analysis/compare/widening.ts";
import { digestOf } from "@svc-authorizer/policy/catalog/digest.ts";
import type { Manifest } from "@svc-authorizer/policy/catalog/manifest.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { openSchemas } from "@svc-authorizer/policy/catalog/schemas.ts";
import { SHIPPED_MANIFEST } from "@svc-authorizer/policy/catalog/shipped-manifest.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";
import { buildManifest } from "./build-manifest.ts";
import { readDocument } from "./documents.ts";

interface Reference {
  readonly policies: Readonly<Record<string, readonly Statement[]>>;
  readonly groups: readonly string[];
  readonly groups_per_policy: Readonly<Record<string, number>>;
  readonly replication_policies: Readonly<Record<string, readonly Statement[]>>;
  readonly actions: readonly string[];
}
interface SetUp {
  readonly policies: readonly string[];
  readonly attachments: Readonly<Record<string, readonly string[]>>;
  readonly actions: readonly string[];
  readonly required_by_no_endpoint: readonly string[];
}

const reference = readDocument<Reference>("reference-policies.json");
const setUp = readDocument<SetUp>("data-server-setup.json");
const catalog = await openCatalog({ partition: "svc" });
const { policies, groups } = catalog.preconfigured;

/** The policies that a data server's own set-up created, as it lists them for its groups. */
function recordedPolicies(): [string, NamedStatements][] {
  const lines = readFileSync(
    new URL("../../../../fixtures/conversations/external.jsonl", import.meta.url),
    "utf8",
  );
  const lists = lines
    .split("\n")
    .filter((line) => line.includes('"operation": "listGroupPolicies"'))
    .map((line) => JSON.parse(line.replaceAll("arn:lakefs:", "arn:svc:")));
  const found = lists.flatMap(({ response_body }): NamedStatements[] => response_body?.results ?? []);
  const byName = new Map(found.map((policy) => [policy.name, policy]));
  return setUp.policies.map((name) => [name, byName.get(name) as NamedStatements]);
}

describe("the manifest", () => {
  it("describes the files as they are (after a change: node packages/policy/test/catalog/write-manifest.ts)", () => {
    const directory = new URL("../../../../policies/", import.meta.url);
    const manifest = JSON.parse(readFileSync(new URL("manifest.json", directory), "utf8")) as {
      version: string;
    };
    expect(manifest).toEqual(buildManifest(directory, manifest.version));
    expect(digestOf(manifest)).toBe(SHIPPED_MANIFEST);
  });

  it("names files that fit their schemas, and fits its own: a start does not look", () => {
    const directory = new URL("../../../../policies/", import.meta.url);
    const read = (path: string) => JSON.parse(readFileSync(new URL(path, directory), "utf8"));
    const manifest = read("manifest.json") as Manifest;
    const schema = openSchemas(
      manifest.files.filter(({ kind }) => kind === "schema").map(({ path }) => read(path)),
    );
    expect(schema("manifest").problems(manifest)).toEqual([]);
    for (const { path, kind } of manifest.files) {
      if (kind !== "schema") expect(schema(kind).problems(read(path)), path).toEqual([]);
    }
  });

  it("gives the catalog its version and a short digest", () => {
    expect(catalog.version).toMatch(/^\d{4}\.\d{1,2}\.\d+$/);
    expect(catalog.digest).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe("preconfigured policies and groups", () => {
  it.each(Object.entries(reference.policies))("%s has the statements of the reference", (name, statement) => {
    const found = policies.find((policy) => policy.name === name)?.statement ?? [];
    // What a data server grants besides stands in statements of its own, behind them.
    expect(found.slice(0, statement.length)).toEqual(statement);
    const more = found.length > statement.length;
    expect(more).toBe(name.startsWith("RepoManagement"));
  });

  it.each(recordedPolicies())(
    "%s allows what a data server's own policy allows, no more and no less",
    (name, recorded) => {
      const shipped = policies.filter((policy) => policy.name === name);
      expect(shipped).toHaveLength(1);
      expect(widening(shipped, [recorded], { partition: "svc" })).toEqual([]);
      expect(widening([recorded], shipped, { partition: "svc" })).toEqual([]);
    },
  );

  it("are attached to as many groups as the reference counts", () => {
    const count = (name: string): number => groups.filter((group) => group.policies.includes(name)).length;
    const names = Object.keys(reference.groups_per_policy);
    expect(Object.fromEntries(names.map((name) => [name, count(name)]))).toEqual(reference.groups_per_policy);
  });

  it("are those of the data server's own set-up, in its order and with its attachments", () => {
    expect(groups.map(({ name }) => name)).toEqual(reference.groups);
    expect(policies.map(({ name }) => name)).toEqual(setUp.policies);
    const attachments = Object.fromEntries(groups.map((group) => [group.name, group.policies]));
    expect(attachments).toEqual(setUp.attachments);
  });

  it("say where the reference and the data server differ", () => {
    const noted = policies.filter(({ note }) => note !== undefined).map(({ name }) => name);
    expect(noted.sort()).toEqual([
      "CatalogReadAll",
      "CatalogReadWriteAll",
      "PRReadWriteAll",
      "RepoManagementFullAccess",
      "RepoManagementReadAll",
    ]);
  });
});

describe("templates", () => {
  it.each(Object.entries(reference.replication_policies))(
    "%s has the statements of the reference",
    (id, statement) => {
      expect(catalog.templates.get(id)?.policy).toEqual({ name: "ReplicationPolicy", statement });
    },
  );

  it("declare the parameters they use", () => {
    const names = catalog.templates.get("replication-narrow")?.parameters.map(({ name }) => name);
    expect(names).toEqual(["sourceRepositoryId", "mirrorId", "DestinationStorageNamespace"]);
    expect(catalog.templates.get("replication-full")?.parameters).toEqual([]);
  });
});

describe("actions", () => {
  /** Actions of this service alone: its own operations ask for them. */
  const OWN = ["auth:ReadDecisions", "auth:ReadAudit"];

  it("are those of the reference and of the data server, and those of this service", () => {
    expect([...catalog.actions.keys()].sort()).toEqual(
      [...new Set([...reference.actions, ...setUp.actions, ...OWN])].sort(),
    );
  });

  it("cite the reference wherever it names them", () => {
    const ofReference = [...catalog.actions.values()].filter(
      ({ source }) => source === "spec/permissions §6.1",
    );
    expect(ofReference.map(({ name }) => name).sort()).toEqual([...reference.actions].sort());
  });

  it("know which no endpoint asks for", () => {
    const idle = [...catalog.actions.values()].filter(({ requiredByAnEndpoint }) => !requiredByAnEndpoint);
    expect(idle.map(({ name }) => name).sort()).toEqual([...setUp.required_by_no_endpoint, ...OWN].sort());
  });

  it("are asked on resource types that exist, on `*`, or in the catalog service", () => {
    const kinds = new Set([...catalog.actions.values()].flatMap(({ resources }) => resources));
    const others = [...kinds].filter((kind) => !catalog.resourceTypes.has(kind));
    expect(others.sort()).toEqual(["*", "catalog/namespace", "catalog/table", "catalog/view"]);
  });

  it("belong to the seven services of the data server", () => {
    const services = ["fs", "auth", "ci", "retention", "branches", "pr", "catalog"];
    expect([...catalog.services]).toEqual(services);
    expect(new Set([...catalog.actions.values()].map(({ service }) => service))).toEqual(new Set(services));
  });
});

describe("resource types", () => {
  it("are the nine of the data server", () => {
    const types = "repository branch tag object namespace user group policy externalPrincipal";
    expect([...catalog.resourceTypes.keys()]).toEqual(types.split(" "));
  });

  it("give a short name to every action that is asked on them", () => {
    for (const type of catalog.resourceTypes.values()) {
      const named = new Set(Object.values(type.actions));
      const asked = [...catalog.actions.values()].filter(({ resources }) => resources[0] === type.type);
      expect(asked.filter(({ name }) => !named.has(name)).map(({ name }) => name)).toEqual([]);
    }
  });
});
