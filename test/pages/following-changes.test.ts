/** The streams that docs/client.md shows have the lines of the real ones. */
import { readFileSync } from "node:fs";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";

const PAGE = readFileSync(new URL("../../docs/client.md", import.meta.url), "utf8");
const [events = "", records = ""] = [...PAGE.matchAll(/```text\n([\s\S]*?)```/g)].map(([, block]) => block);

const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: "alice", properties: { team: "red" } }, { username: "bob" }],
      policies: [{ name: "Read", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] }],
    },
  }),
);

/** The text of a stream until a change has come through. */
async function streamOf(
  path: string,
  isWhole: (text: string) => boolean,
  change: () => Promise<unknown>,
): Promise<string> {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${authorizer.token}` };
  const response = await fetch(authorizer.url + path, { headers, signal: stop.signal });
  let text = "";
  let isChanged = false;
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (!isChanged && text.includes('"revision":')) {
      isChanged = true;
      await change();
    }
    if (isWhole(text)) break;
  }
  stop.abort();
  return text;
}

/** Returns the types of a value: members by name, elements alike. Ids and names are texts. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, shapeOf(member)]),
  );
}

/** Each kind of event: its fields, and the shape of its data. */
function eventShapes(text: string): string[] {
  const blocks = text.split("\n\n").filter((block) => block.includes("data:"));
  return blocks.map((block) => {
    const fields = block
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(/: ?(.*)/s));
    return JSON.stringify(
      fields.map(([name, value = ""]) => [
        name,
        name === "data" ? shapeOf(JSON.parse(value)) : name === "event" ? value : "text",
      ]),
    );
  });
}

/** Each kind of line: heads by type, records by kind and whether they have fields. */
function lineShapes(text: string): string[] {
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
  return lines.map((line) => {
    if (!Array.isArray(line)) return JSON.stringify([(line as { type: string }).type, shapeOf(line)]);
    const [kind, , fields] = line as [string, string, object | undefined];
    return JSON.stringify([kind, fields === undefined ? "removed" : Object.keys(fields).sort()]);
  });
}

it("the changes of names", async () => {
  const text = await streamOf(
    "/api/v1/watch",
    (all) => all.includes('"change"') && all.endsWith("\n\n"),
    () => authorizer.directory.users.update("alice", { friendly_name: "Alice" }),
  );
  expect(eventShapes(text)).toEqual(expect.arrayContaining([...new Set(eventShapes(events))]));
});

it("what decisions depend on", async () => {
  const text = await streamOf(
    "/api/v1/replica",
    (all) => (all.match(/"type":"complete"/g)?.length ?? 0) >= 3,
    async () => {
      await authorizer.directory.users.attachPolicy("alice", "Read");
      await authorizer.directory.users.delete("bob");
    },
  );
  const real = lineShapes(text.slice(0, text.lastIndexOf("\n")));
  expect(real).toEqual(expect.arrayContaining([...new Set(lineShapes(records))]));
});
