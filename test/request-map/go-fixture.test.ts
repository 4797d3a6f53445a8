import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { describe, expect, it } from "vitest";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import type { Asked } from "./fixtures.ts";
import {
  DATA_SERVER,
  filled,
  outcome,
  type Permission,
  readLines,
  wireRequest,
  withoutSets,
} from "./fixtures.ts";

/** A request, and what Go reads of it: see make-go-fixture. */
interface GoCase {
  readonly api: "main" | "gateway" | "body";
  readonly method?: string;
  readonly target?: string;
  readonly bucket?: string;
  readonly copy_source?: string;
  readonly body?: string;
  readonly go: {
    readonly operation?: string;
    readonly values?: Readonly<Record<string, string>>;
    readonly presign?: boolean;
    readonly error?: string;
  };
}

const cases = readLines<GoCase>("go-net-url.jsonl");
const endpoints = openEndpoints(await openCatalog({ partition: "svc" }));

function requestOf({ api, method = "GET", target = "", bucket, copy_source: source }: GoCase) {
  const asked: Asked = {
    api: api as "main" | "gateway",
    method,
    ...(bucket !== undefined && { bucket }),
    ...(source !== undefined && { headers: { "x-amz-copy-source": source } }),
  };
  return wireRequest(target, asked);
}

/** Permissions that this service requires where the data server requires nothing: who is somebody may not delete a bucket. */
const STRICTER: ReadonlyMap<string, Permission> = new Map([
  ["DeleteBucket", { action: "fs:DeleteRepository", resource: "arn:svc:fs:::repository/{repository}" }],
]);

function permissionOf(api: string, operation: string): Permission | null {
  const stricter = api === "gateway" ? STRICTER.get(operation) : undefined;
  if (stricter !== undefined) return stricter;
  const rows = api === "main" ? DATA_SERVER.api : DATA_SERVER.gateway;
  return rows.find((row) => row.operation === operation)?.permission ?? null;
}

function ofApi(api: GoCase["api"]): readonly GoCase[] {
  return cases.filter((it) => it.api === api);
}

function shown({ method, target, bucket, copy_source: source }: GoCase): string {
  return [method, bucket, target?.slice(0, 120), source].filter((it) => it !== undefined).join(" ");
}

describe("requests as Go's net/url, net/http and the router of the data server read them", () => {
  it("are at least 500", () => {
    expect(cases.length).toBeGreaterThan(500);
    for (const api of ["main", "gateway", "body"] as const) expect(ofApi(api).length).toBeGreaterThan(40);
  });

  it.each(["main", "gateway"] as const)(
    "of the %s API: what matches has Go's operation and values",
    (api) => {
      const differing: unknown[] = [];
      let matched = 0;
      for (const one of ofApi(api)) {
        const mine = endpoints.match(requestOf(one));
        if (mine.operation === null) continue;
        matched++;
        // What is no boolean, Go refuses; here it counts as presigning, which asks for more.
        if (one.go.error?.includes("ParseBool") && mine.perItem !== undefined) continue;
        const { operation = one.go.error, values = {} } = one.go;
        const permission = operation === undefined ? null : permissionOf(api, operation);
        const expected = { operation, required: permission && filled(permission, values) };
        const found = { operation: mine.operation, required: withoutSets(mine.required) };
        if (JSON.stringify(found) !== JSON.stringify(expected))
          differing.push({ request: shown(one), found, expected });
      }
      expect(differing).toEqual([]);
      expect(matched).toBeGreaterThan(200);
    },
  );

  it("are not refused where nothing about them is in doubt", () => {
    const plain = /^\/[A-Za-z0-9/_.-]*$/;
    const refused = cases.filter(
      (one) =>
        one.go.error === undefined &&
        plain.test(one.target ?? "") &&
        !/\/\.{0,2}(\/|$)/.test(one.target ?? "") &&
        one.bucket === undefined &&
        endpoints.match(requestOf(one)).operation !== one.go.operation,
    );
    expect(refused.filter(({ copy_source: source }) => source === undefined).map(shown)).toEqual([]);
  });

  it("list with presign wherever Go presigns", () => {
    for (const one of ofApi("main").filter(({ go }) => go.presign === true)) {
      const mine = endpoints.match(requestOf(one));
      expect([shown(one), mine.operation !== null && mine.perItem === undefined]).toEqual([
        shown(one),
        false,
      ]);
    }
  });
});

/** Operations that between them read all members of the fixture's bodies, and what Go's values make of them. */
const BODY_READERS: readonly (readonly [
  string,
  string,
  (values: Readonly<Record<string, string>>) => unknown,
])[] = [
  [
    "POST",
    "/api/v1/auth/users",
    (values) => ({ action: "auth:CreateUser", resource: `arn:svc:auth:::user/${values["body.id"]}` }),
  ],
  [
    "PUT",
    "/api/v1/repositories/r/branches/b/staging/pmpu/u/parts/1/copy?path=k",
    (values) =>
      filled(permissionOf("main", "uploadPartCopy") as Permission, {
        repository: "r",
        "query.path": "k",
        ...values,
      }),
  ],
  [
    "POST",
    "/api/v1/repositories/r/branches/b/objects/delete",
    (values) => {
      const paths = Object.entries(values).filter(([name]) => name.startsWith("body.paths["));
      const leaves = paths.map(([, path]) => ({
        action: "fs:DeleteObject",
        resource: `arn:svc:fs:::repository/r/object/${path}`,
      }));
      return leaves.length === 1 ? leaves[0] : leaves.length === 0 ? { or: [] } : { and: leaves };
    },
  ],
];

describe("bodies as Go's encoding/json reads them", () => {
  it.each(BODY_READERS)("%s %s: what matches has Go's values", (method, target, expected) => {
    let matched = 0;
    for (const { body = "", go } of ofApi("body")) {
      let parsed: unknown;
      try {
        parsed = JSON.parse(body);
      } catch {
        continue;
      }
      const mine = endpoints.match(wireRequest(target, { method, body: parsed }));
      if (mine.operation === null) continue;
      matched++;
      expect([body, withoutSets(mine.required)]).toEqual([body, expected(go.values ?? {})]);
    }
    expect(matched).toBeGreaterThan(0);
  });

  it("are refused where Go takes a member of another spelling", () => {
    const answers = ['{"ID":"a"}', '{"id":"a","ID":"b"}'].map((body) =>
      outcome(endpoints.match(wireRequest("/api/v1/auth/users", { method: "POST", body: JSON.parse(body) }))),
    );
    expect(answers).toEqual(["unreadable_request", "unreadable_request"]);
  });
});
