import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService } from "../../http/service-kit.ts";

const DOCUMENT = readFileSync(new URL("../../../docs/decision-api.md", import.meta.url), "utf8");

const service = await closedAfterAll(startService());

/** Examples of the native calls; test/scenario/authzen-docs.test.ts sends those of AuthZEN. */
const examples = [...DOCUMENT.matchAll(/```http\nPOST (\S+)\n```\n\n```json\n(.*?)```/gs)]
  .map(([, path = "", body = ""]) => [path, body] as const)
  .filter(([path]) => !/\/(evaluations?|search\/\w+)$/.test(path));

/** The answers that follow a request. */
const answers = [
  ...DOCUMENT.matchAll(
    /```http\nPOST (\S+)\n```\n\n```json\n[^`]*```\n\n(?:[^`#]|`(?!``))*```json\n(.*?)```/gs,
  ),
].map(([, path = "", body = ""]) => [path, body] as const);

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly responses: {
            readonly "200": { readonly content: Record<string, { readonly schema: object }> };
          };
        };
      }
    >
  >;
}

/** The document with schemas that take no other members than those that they name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]));
  const isObject = "properties" in value && typeof value.properties === "object";
  return isObject && !("additionalProperties" in value)
    ? { ...members, unevaluatedProperties: false }
    : members;
}

describe("the documentation", () => {
  it("has answers", () => expect(answers.length).toBeGreaterThan(5));

  it("has an example of every native call", () => {
    expect(examples.map(([path]) => path)).toEqual(
      ["check", "request", "filter", "simulate", "plan", "who-can", "what-can"].map(
        (name) => `/access/v1/${name}`,
      ),
    );
  });

  it.each(examples)("of %s shows a request that works", async (path, body) => {
    const { status, body: answer } = await post(service, path, body);
    expect(status).toBe(200);
    expect(answer).toMatchObject(
      {
        "/access/v1/check": { allowed: true, effect: "allow" },
        "/access/v1/request": { operation: "getObject", allowed: true },
        "/access/v1/filter": { allowed: [0], complete: true },
        "/access/v1/simulate": { allowed: true },
        "/access/v1/plan": { kind: "conditional", allow: ["arn:svc:fs:::repository/data*"] },
        "/access/v1/who-can": { results: [{ user: "alice", policy: "Reads", statement: 0 }] },
        "/access/v1/what-can": { page: { next_token: "" } },
      }[path] ?? {},
    );
  });

  it.each(answers)("of %s shows an answer of its schema: %s", async (path, text) => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
    const { content } = document.paths[path]?.post.responses["200"] ?? {};
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(closed(document) as object, "api");
    const [reference = ""] = Object.values(content?.["application/json"]?.schema ?? {}) as string[];
    const validate = ajv.compile({ $ref: `api${reference}` });
    const isValid = validate(JSON.parse(text));
    expect(validate.errors ?? []).toEqual([]);
    expect(isValid).toBe(true);
  });

  it("shows a stream that works", async () => {
    const stream = /```\n(\{"user".*?)```/s.exec(DOCUMENT)?.[1] ?? "";
    const answer = await post(service, "/access/v1/filter", stream, {
      "content-type": "application/x-ndjson",
    });
    expect(answer.text).toBe('{"index":0}\n{"complete":true,"items":2,"allowed":1}\n');
  });
});
