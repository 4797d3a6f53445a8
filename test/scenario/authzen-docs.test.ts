import { readFileSync } from "node:fs";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { closedAfterAll } from "../closed-after-all.ts";

const DOCUMENT = readFileSync(new URL("../../docs/decision-api.md", import.meta.url), "utf8");
const DATASET = new URL("../../fixtures/datasets/authzen.yaml", import.meta.url).pathname;
const EXAMPLES = [
  ...DOCUMENT.matchAll(/```http\nPOST (\S+)\n```\n\n```json\n(.*?)```\n\n```json\n(.*?)```/gs),
]
  .filter(([, path = ""]) => /\/(evaluations?|search\/\w+)$/.test(path))
  .map(([, path = "", request = "", answer = ""], index) => [index + 1, path, request, answer] as const);

const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: DATASET,
  }),
);

describe("docs/decision-api.md", () => {
  it("shows types and resources of the data set that the examples ask about", () => {
    const [, block = ""] = /```yaml\n(.*?)```/s.exec(DOCUMENT) ?? [];
    const shown = parse(block);
    const dataset = parse(readFileSync(DATASET, "utf8"));
    expect(shown.resource_types).toEqual(dataset.resource_types);
    expect(dataset.resources).toEqual(expect.arrayContaining(shown.resources));
  });

  it("has an example of every endpoint", () => {
    const paths = ["evaluation", "evaluations", "search/subject", "search/resource", "search/action"];
    expect([...new Set(EXAMPLES.map(([, path]) => path))]).toEqual(paths.map((path) => `/access/v1/${path}`));
  });

  it.each(EXAMPLES)("example %i, %s, is answered as it says", async (_number, path, request, answer) => {
    const response = await fetch(authorizer.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${authorizer.token}` },
      body: request,
    });
    const wanted = JSON.parse(answer);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject(wanted);
  });
});
