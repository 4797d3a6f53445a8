import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { RequiredOnSets } from "@svc-authorizer/policy/model/resource-set.ts";
import { describe, expect, it } from "vitest";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { outcome, readLines, wireRequest } from "./fixtures.ts";

interface Leaf {
  readonly action: string;
  readonly resource: string;
}

/** A request that was sent to lakeFS, the permissions that it asked for, and our operation or reason for it. */
interface Recorded {
  readonly api: "main" | "gateway";
  readonly method: string;
  readonly target: string;
  readonly bucket?: string;
  readonly copy_source?: string;
  readonly body?: unknown;
  readonly facts?: Readonly<Record<string, string>>;
  readonly asked: readonly Leaf[];
  readonly answer: string;
}

const recorded = readLines<Recorded>("asked-of-lakefs.jsonl");
const endpoints = openEndpoints(await openCatalog({ partition: "svc" }));

function matchOf({ api, method, target, bucket, copy_source: source, facts, ...rest }: Recorded) {
  return endpoints.match(
    wireRequest(target, {
      api,
      method,
      ...(bucket !== undefined && { bucket }),
      ...(source !== undefined && { headers: { "x-amz-copy-source": source } }),
      ...(facts !== undefined && { facts: new Map(Object.entries(facts)) }),
      ...("body" in rest && { body: rest.body }),
    }),
  );
}

interface OpenLeaf {
  readonly action: string;
  readonly parts: readonly string[];
}

function leavesOf(tree: RequiredOnSets): readonly OpenLeaf[] {
  if ("and" in tree) return tree.and.flatMap(leavesOf);
  if ("action" in tree) return [{ action: tree.action, parts: tree.resource.parts }];
  throw new Error(`no tree of the data server: ${JSON.stringify(tree)}`);
}

/** True where the resource is one of the leaf's: it begins and ends like it, with what is open between. */
function covers({ action, parts }: OpenLeaf, asked: Leaf): boolean {
  if (action !== asked.action) return false;
  if (parts.length === 1) return parts[0] === asked.resource;
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  return asked.resource.startsWith(first) && asked.resource.slice(first.length).endsWith(last);
}

/** Operations whose permission lakeFS checks and does not enforce. */
const NOT_ENFORCED = new Set(["getConfig"]);

describe("what lakeFS asked for", () => {
  it.each(recorded.map((one, index) => [index + 1, one] as const))("line %i", (_, one) => {
    const found = matchOf(one);
    expect(outcome(found)).toBe(one.answer);
    if (found.operation === null) return;
    if (NOT_ENFORCED.has(one.answer)) return expect(found.required).toBeNull();
    const leaves = found.required === null ? [] : leavesOf(found.required);
    expect(one.asked.filter((asked) => !leaves.some((leaf) => covers(leaf, asked)))).toEqual([]);
    expect(leaves.filter((leaf) => !one.asked.some((asked) => covers(leaf, asked)))).toEqual([]);
  });

  it("was recorded of every operation that checks something whatever is in the store", () => {
    const operations = new Set(recorded.map(({ answer }) => answer));
    // 2 reasons, and the rows of main API and gateway but for those with items in the answer or nothing to check.
    expect(operations.size).toBeGreaterThan(130);
  });
});
