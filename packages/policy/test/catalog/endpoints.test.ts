import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  EndpointApi,
  EndpointRow,
  RequiredTemplate,
} from "@svc-authorizer/policy/catalog/endpoint-table.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  DATA_SERVER,
  type DataServerOperation,
  type Permission,
  readFixture,
} from "../../../../test/request-map/fixtures.ts";
import { buildManifest } from "./build-manifest.ts";

const REFERENCE = JSON.parse(readFixture("reference-tables.json")) as {
  readonly main: readonly Readonly<Record<"name" | "action" | "resource" | "endpoint" | "gateway", string>>[];
  readonly replication: readonly Readonly<Record<"operation" | "action" | "resource", string>>[];
  readonly replication_endpoints: readonly Readonly<Record<"operation" | "method" | "path", string>>[];
};
const catalog = await openCatalog({ partition: "svc" });

function rowsOf(api: EndpointApi): readonly EndpointRow[] {
  return catalog.endpoints.get(api)?.rows ?? [];
}

function rowOf(api: EndpointApi, operation: string): EndpointRow {
  const found = rowsOf(api).find((row) => row.operation === operation);
  if (found === undefined) throw new Error(`no row ${operation}`);
  return found;
}

/** A tree as the data server writes it: conditions of choices are texts there. */
function asWritten(tree: RequiredTemplate): Permission {
  if ("and" in tree) return { and: tree.and.map(asWritten) };
  if (!("choice" in tree)) return tree;
  return {
    choice: tree.choice.map(({ when, required }) => ({
      when: when === undefined ? "otherwise" : 'delimiter == "/" and prefix contains no "/"',
      permission: asWritten(required),
    })),
  };
}

function actionsIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"action":"([^"]+)"/g)].map(([, action]) => action as string);
}

/** A path with the names of its parameters taken out. */
function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, "{}");
}

describe("rows of the main and the gateway table", () => {
  it("are those of the data server, and the one endpoint that only the reference has", () => {
    const names = DATA_SERVER.api.map(({ operation }) => operation);
    expect(names).toHaveLength(134);
    expect(new Set(rowsOf("main").map(({ operation }) => operation))).toEqual(
      new Set([...names, "logBranchCommits"]),
    );
    expect(rowsOf("gateway").map(({ operation }) => operation)).toEqual(
      DATA_SERVER.gateway.map(({ operation }) => operation),
    );
    expect(rowsOf("gateway")).toHaveLength(23);
  });

  const itemsOf = ({ per_item, per_item_filter }: DataServerOperation) =>
    per_item?.permission ?? per_item_filter;
  it.each(DATA_SERVER.api.map((one) => [one.operation, one] as const))(
    "%s is as the data server has it",
    (name, one) => {
      const row = rowOf("main", name);
      expect(row).toMatchObject({ method: one.method, path: one.path, authentication: one.authentication });
      expect(row.required && asWritten(row.required)).toEqual(one.permission);
      expect(row.forEach).toEqual(
        one.for_each && { over: one.for_each.over, required: one.for_each.add_to_and },
      );
      const items = itemsOf(one);
      expect(row.perItem !== undefined).toBe(items !== undefined);
      if (items !== undefined) expect(row.perItem).toMatchObject(items);
    },
  );

  it("need a permission for every operation of the gateway, also where the data server checks none", () => {
    const open = rowsOf("gateway").filter(({ required, perItem }) => required === null && !perItem);
    expect(open.map(({ operation }) => operation)).toEqual([]);
  });

  /** Permissions of operations that the data server refuses to everybody: a proxy asks for that of the main API. */
  const UNCHECKED: Readonly<Record<string, unknown>> = {
    DeleteBucket: { action: "fs:DeleteRepository", resource: "arn:svc:fs:::repository/{repository}" },
  };
  it.each(DATA_SERVER.gateway.map((one) => [one.operation, one] as const))(
    "%s of the gateway is as the data server has it",
    (name, one) => {
      const row = rowOf("gateway", name);
      expect(row.required && asWritten(row.required)).toEqual(UNCHECKED[name] ?? one.permission);
      const items = itemsOf(one);
      expect(row.perItem !== undefined).toBe(items !== undefined);
      if (items !== undefined) expect(row.perItem).toMatchObject(items);
    },
  );

  it("choose the permission of a listing by delimiter and prefix", () => {
    const choices = rowsOf("gateway").flatMap(({ required }) =>
      required !== null && "choice" in required ? [required.choice] : [],
    );
    expect(choices).toHaveLength(5);
    for (const [first] of choices) {
      expect(first?.when).toEqual({ is: { "query.delimiter": "/" }, lacks: { "query.prefix": "/" } });
    }
  });
});

describe("rows of the reference", () => {
  const endpointsOf = (row: number) =>
    rowsOf("main").filter(({ reference }) =>
      reference.some((it) => it.row === row && it.name === REFERENCE.main[row - 1]?.name),
    );

  it("are 69 of the main API and 6 of the replication API", () => {
    expect([REFERENCE.main.length, REFERENCE.replication.length]).toEqual([69, 6]);
  });

  it.each(REFERENCE.main.map((row, index) => [index + 1, row.name, row] as const))(
    "%i %s",
    (number, _, documented) => {
      const [action, path] = [
        documented.action.split(" ")[0],
        documented.endpoint.replace(/ R(?=\/|$)/, " /repositories/{r}"),
      ];
      const rows = endpointsOf(number);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        expect(actionsIn([row.required, row.perItem, row.forEach])).toContain(action);
        if (row.reference.some((it) => it.row === number && it.differs !== undefined)) continue;
        expect(shapeOf(`${row.method} ${row.path}`)).toBe(shapeOf(path));
      }
    },
  );

  it("differ where it is written down, and nowhere else", () => {
    const differing = (api: EndpointApi) =>
      rowsOf(api).flatMap(({ reference }) =>
        reference.filter(({ differs }) => differs !== undefined).map(({ row }) => row),
      );
    expect(differing("main").sort((left, right) => left - right)).toEqual([1, 5, 8, 37]);
    expect([...new Set(differing("gateway"))].sort((left, right) => left - right)).toEqual([1, 11, 20]);
    expect(differing("replication")).toEqual([]);
    expect(rowOf("main", "updatePolicy").reference[0]).toMatchObject({
      row: 37,
      differs: expect.stringContaining("Misprint"),
    });
    expect(endpointsOf(5).map(({ operation }) => operation)).toEqual(["logCommits", "logBranchCommits"]);
  });

  it("have their gateway operations", () => {
    const known = new Set(rowsOf("gateway").map(({ operation }) => operation));
    const named = REFERENCE.main.flatMap(({ gateway }, index) =>
      (gateway.match(/[A-Z]\w+/g) ?? []).map((operation) => ({ operation, row: index + 1 })),
    );
    expect(named.length).toBe(15);
    for (const { operation, row } of named) {
      expect(known).toContain(operation);
      expect(rowOf("gateway", operation).reference.map((it) => it.row)).toContain(row);
    }
  });

  it("of the replication API have their action, their resource and their endpoint", () => {
    for (const [index, { operation, action, resource }] of REFERENCE.replication.entries()) {
      const rows = rowsOf("replication").filter(({ reference }) =>
        reference.some((it) => it.row === index + 1),
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        expect(row.reference[0]?.name).toBe(operation);
        const resources = [
          ...JSON.stringify(row.required).matchAll(/"action":"([^"]+)","resource":"([^"]+)"/g),
        ];
        expect(resources.map(([, one, on]) => `${one} ${shapeOf(on as string)}`)).toContain(
          `${action} ${shapeOf(resource)}`,
        );
      }
    }
    const base = catalog.endpoints.get("replication")?.basePath;
    const paths = rowsOf("replication").flatMap(({ method, path }) =>
      path === null ? [] : [`${method} ${base}${path}`],
    );
    expect(paths).toEqual(REFERENCE.replication_endpoints.map(({ method, path }) => `${method} ${path}`));
    expect(rowOf("replication", "editMirroredBranches")).toMatchObject({ method: null, path: null });
  });
});

describe("what rows name", () => {
  it("are actions of the catalog: those that it says endpoints ask for", () => {
    const asked = new Set(actionsIn([...catalog.endpoints.values()]));
    const known = [...catalog.actions.values()].filter(({ requiredByAnEndpoint }) => requiredByAnEndpoint);
    expect([...asked].sort()).toEqual(known.map(({ name }) => name).sort());
  });

  it("is written out where any authenticated user will do", () => {
    const any = [...catalog.endpoints.values()].flatMap(({ rows }) =>
      rows.filter(({ anyAuthenticatedUser }) => anyAuthenticatedUser).map(({ operation }) => operation),
    );
    expect(any.sort()).toEqual([
      "getConfig",
      "getCurrentUser",
      "getGarbageCollectionConfig",
      "getLakeFSVersion",
      "getUsageReportSummary",
      "postStatsEvents",
    ]);
  });

  it("is open in nine operations alone", () => {
    const open = [...catalog.endpoints.values()].flatMap(({ rows }) =>
      rows.filter(({ authentication }) => authentication === "none").map(({ operation }) => operation),
    );
    expect(open.sort()).toEqual([
      "externalPrincipalLogin",
      "getAuthCapabilities",
      "getSetupState",
      "healthCheck",
      "login",
      "oauthCallback",
      "setup",
      "setupCommPrefs",
      "stsLogin",
    ]);
  });
});

describe("another partition", () => {
  it("replaces the partition of every ARN of the tables and nothing else", async () => {
    const other = await openCatalog({ partition: "acme" });
    const plain = JSON.stringify([...other.endpoints]);
    expect(plain).not.toContain("arn:svc:");
    expect(plain.replaceAll("arn:acme:", "arn:svc:")).toBe(JSON.stringify([...catalog.endpoints]));
  });
});

describe("a changed table", () => {
  let folder: string;
  let directory: URL;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "endpoints-"));
    directory = pathToFileURL(`${folder}/`);
    cpSync(new URL("../../../../policies/", import.meta.url), folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  type RowOnDisk = Record<string, unknown>;

  /** Returns the problems of a table in which one row is changed. */
  async function problemsWith(
    file: string,
    operation: string,
    change: (row: RowOnDisk) => void,
  ): Promise<string[]> {
    const path = join(folder, `endpoints/${file}.json`);
    const table = JSON.parse(readFileSync(path, "utf8")) as { rows: RowOnDisk[] };
    for (const row of table.rows) if (row["operation"] === operation) change(row);
    writeFileSync(path, JSON.stringify(table));
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(buildManifest(directory, "2026.11.0")));
    const error: unknown = await openCatalog({ partition: "svc", directory }).catch(
      (thrown: unknown) => thrown,
    );
    if (!isErrorCode(error, "invalid_request")) throw new Error("was not refused", { cause: error });
    return error.problems.map(({ file: where, message }) => `${where}: ${message}`);
  }

  const SAID = "endpoints of the main API: ";
  const leaf = { action: "fs:ReadTag", resource: "*" };
  const FAULTS: readonly (readonly [string, string, (row: RowOnDisk) => void])[] = [
    [
      "names the unknown action fs:SeeTag",
      "getTag",
      (row) => (row["required"] = { ...leaf, action: "fs:SeeTag" }),
    ],
    [
      "must need a permission, or say authentication none or any_authenticated_user",
      "getTag",
      (row) => (row["required"] = null),
    ],
    [
      "must need a permission, or say authentication none or any_authenticated_user",
      "getTag",
      (row) => (row["any_authenticated_user"] = true),
    ],
    [
      "must need a permission, or say authentication none or any_authenticated_user",
      "getTag",
      (row) => (row["authentication"] = "none"),
    ],
    [
      "names {tags}, which no request carries",
      "getTag",
      (row) => (row["required"] = { ...leaf, resource: "arn:svc:fs:::repository/{tags}" }),
    ],
    [
      "names {copy_source.key}, which no request carries",
      "getTag",
      (row) => (row["required"] = { ...leaf, resource: "arn:svc:fs:::repository/{copy_source.key}" }),
    ],
    [
      "names {body.paths[].path}, which no request carries",
      "importStart",
      (row) => (row["required"] = { ...leaf, resource: "arn:svc:fs:::repository/{body.paths[].path}" }),
    ],
    [
      "names {other}, which no request carries",
      "listObjects",
      (row) =>
        (row["per_item"] = {
          ...(row["per_item"] as object),
          item: "entry",
          resource: "arn:svc:fs:::repository/{other}",
        }),
    ],
    ["must have both a method and a path, or none", "getTag", (row) => (row["method"] = null)],
    ["answers the requests of listTags", "getTag", (row) => (row["path"] = "/repositories/{r}/tags")],
    [
      "answers the requests of getGCRules",
      "getTag",
      (row) => (row["path"] = "/repositories/{repository}/{kind}/{tag}"),
    ],
    [
      "must have a condition for each alternative of a choice but the last",
      "getTag",
      (row) => (row["required"] = { choice: [{ required: leaf }, { required: leaf }] }),
    ],
    [
      "must have a condition for each alternative of a choice but the last",
      "getTag",
      (row) =>
        (row["required"] = {
          and: [
            {
              choice: [
                { when: {}, required: leaf },
                { when: {}, required: leaf },
              ],
            },
          ],
        }),
    ],
  ];

  it.each(FAULTS)("is refused: %s (%s)", async (message, operation, change) => {
    expect(await problemsWith("main", operation, change)).toContain(`${SAID}${operation}: ${message}`);
  });

  it("is refused where an operation is there twice", async () => {
    const problems = await problemsWith("main", "getTag", (row) => (row["operation"] = "getBranch"));
    expect(problems).toContain(`${SAID}getBranch: is there twice`);
  });

  it("is refused where an API has two tables", async () => {
    cpSync(join(folder, "endpoints/gateway.json"), join(folder, "endpoints/second.json"));
    const problems = await problemsWith("gateway", "", () => undefined);
    expect(problems).toContain("endpoints of the gateway API: is there twice");
  });

  it("is refused where it does not fit its schema", async () => {
    const problems = await problemsWith("main", "getTag", (row) => {
      row["requires"] = row["required"];
      row["required"] = { or: [leaf] };
    });
    expect(problems).toEqual([
      expect.stringContaining("is an unknown field; known are operation, method, path"),
      expect.stringContaining("must be one of {action, resource}, {any_resource}, {and} and {choice}"),
      expect.stringContaining("is an unknown field; known are action, resource"),
    ]);
  });
});
