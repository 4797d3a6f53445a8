/** The language server as an editor uses it: the real process, spoken to by the protocol's own client. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createProtocolConnection,
  type Diagnostic,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";

const ROOT = join(import.meta.dirname, "..", "..", "..");

let server: ChildProcess;
let editor: ProtocolConnection;
const waiting = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();

beforeAll(async () => {
  server = spawn(
    process.execPath,
    [join(ROOT, "packages", "svcctl", "bin", "svcctl.cjs"), "policy", "lsp", "--stdio"],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  editor = createProtocolConnection(
    new StreamMessageReader(server.stdout!),
    new StreamMessageWriter(server.stdin!),
  );
  editor.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) => {
    waiting.get(uri)?.(diagnostics);
  });
  editor.listen();
  await editor.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  await editor.sendNotification("initialized", {});
});
afterAll(() => {
  editor.dispose();
  server.kill("SIGKILL");
});

let opened = 0;

/** Opens a document; `|` in its text is the cursor. */
async function open(ending: string, marked: string) {
  const uri = `file:///policies/p${opened++}.${ending}`;
  const offset = marked.indexOf("|");
  const text = marked.replace("|", "");
  const before = text.slice(0, Math.max(0, offset)).split("\n");
  const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  const diagnostics = new Promise<readonly Diagnostic[]>((resolve) => waiting.set(uri, resolve));
  const textDocument = { uri, languageId: ending, version: 1, text };
  await editor.sendNotification("textDocument/didOpen", { textDocument });
  return { uri, text, diagnostics, at: { textDocument: { uri }, position } };
}

async function labelsAt(ending: string, marked: string): Promise<readonly string[]> {
  const { at } = await open(ending, marked);
  const items = (await editor.sendRequest("textDocument/completion", at)) as { label: string }[];
  return items.map(({ label }) => label);
}

async function hoverAt(ending: string, marked: string): Promise<string | undefined> {
  const { at } = await open(ending, marked);
  const hover = (await editor.sendRequest("textDocument/hover", at)) as {
    contents: { value: string };
  } | null;
  return hover?.contents.value;
}

describe("diagnostics", () => {
  it("are the findings of lint, at their places", async () => {
    const { text, diagnostics, uri } = await open(
      "json",
      '{"name": "P",\n "statement": [{"effect": "permit", "action": ["fs:ReadObjects"], "resource": "*"}]}',
    );
    const found = await diagnostics;
    const wordOf = ({ range: { start, end } }: Diagnostic): string =>
      text.split("\n")[start.line]!.slice(start.character, end.character);
    expect(found.map((one) => [one.severity, one.code, wordOf(one)])).toEqual([
      [1, "guard", '"permit"'],
      [2, "unknown-action", '"fs:ReadObjects"'],
    ]);
    expect(found[1]?.message).toContain("fs:ReadObject");
    const textDocument = { uri };
    const actions = (await editor.sendRequest("textDocument/codeAction", {
      textDocument,
      range: found[1]?.range,
      context: { diagnostics: found },
    })) as { title: string; edit: { changes: Record<string, { newText: string }[]> } }[];
    expect(actions.map(({ title }) => title)).toEqual(["Write fs:ReadObject"]);
    expect(actions[0]?.edit.changes[uri]?.map(({ newText }) => newText)).toEqual(['"fs:ReadObject"']);
  });

  it("have a fix for each text that may be meant", async () => {
    const document = {
      resource_types: [
        {
          type: "order",
          id: "{id}",
          arn: "arn:svc:shop:::order/{id}",
          actions: { approve: "shop:ApproveOrder" },
        },
      ],
      policies: [
        {
          name: "P",
          statement: [{ effect: "allow", action: ["shop:AproveOrder"], resource: "arn:svc:shop:::orders/1" }],
        },
      ],
    };
    const { uri, diagnostics } = await open("json", JSON.stringify({ format: 1, ...document }));
    const found = await diagnostics;
    const actions = (await editor.sendRequest("textDocument/codeAction", {
      textDocument: { uri },
      range: found[0]?.range,
      context: { diagnostics: found },
    })) as { title: string; isPreferred?: boolean }[];
    expect(actions.map(({ title, isPreferred }) => [title, isPreferred])).toEqual([
      ["Write shop:ApproveOrder", true],
      ["Write arn:svc:shop:::order/1", true],
    ]);
  });

  it("name the lines at which a file is broken", async () => {
    const { diagnostics } = await open("yaml", "statement:\n  - effect: allow\n   action: [x\n");
    expect(await diagnostics).toMatchObject([
      { severity: 1, code: "syntax", range: { start: { line: 2 } } },
      { severity: 1, code: "syntax", range: { start: { line: 3 } } },
    ]);
  });

  it("are none for other files", async () => {
    const { diagnostics } = await open("json", '{"compilerOptions": {}}');
    expect(await diagnostics).toEqual([]);
  });

  it("go when the document is mended", async () => {
    const { uri, diagnostics } = await open(
      "yaml",
      "name: P\nstatement: [{effect: permit, action: ['*'], resource: '*'}]\n",
    );
    expect((await diagnostics).length).toBeGreaterThan(0);
    const mended = new Promise<readonly Diagnostic[]>((resolve) => waiting.set(uri, resolve));
    const text = "name: P\nstatement: [{effect: deny, action: ['fs:DeleteObject'], resource: '*'}]\n";
    await editor.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text }],
    });
    expect(await mended).toEqual([]);
  });
});

describe("completion", () => {
  it.each([
    [
      "json",
      '{"name": "P", "statement": [{"effect": "allow", "action": ["fs:Re|"]}]}',
      ["fs:ReadObject", "fs:*", "*"],
    ],
    [
      "yaml",
      "statement:\n  - effect: allow\n    action:\n      - fs:Re|\n",
      ["fs:ReadObject", "auth:ReadUser"],
    ],
    ["yaml", "statement:\n  - effect: allow\n    action: [fs:Re|]\n", ["fs:ReadObject"]],
  ])("suggests actions in %s %#", async (ending, marked, labels) => {
    expect(await labelsAt(ending, marked)).toEqual(expect.arrayContaining(labels));
  });

  it.each([
    ["json", '{"statement": [{"effect": "|"}]}', ["allow", "deny"]],
    ["yaml", "statement:\n  - effect: |\n", ["allow", "deny"]],
    ["json", '{"statement": [{"resource": "arn:|"}]}', ["arn:svc:fs:::repository/{repository}", "*"]],
    [
      "yaml",
      "policies:\n  - name: P\n    statement:\n      - resource: a|\n",
      ["arn:svc:fs:::repository/{repository}"],
    ],
    [
      "json",
      '{"statement": [{"effect": "allow", "condition": {"|"}}]}',
      ["IpAddress", "StringEquals", "Null"],
    ],
    ["json", '{"statement": [{"condition": {"IpAddress": {"|"}}}]}', ["SourceIp"]],
    ["json", '{"statement": [{"|"}]}', ["sid", "effect", "action", "resource", "condition"]],
    ["yaml", "statement:\n  - effect: allow\n    |\n", ["action", "resource"]],
    ["json", '{"|"}', ["name", "statement"]],
  ])("suggests what may stand there in %s %#", async (ending, marked, labels) => {
    expect(await labelsAt(ending, marked)).toEqual(expect.arrayContaining(labels));
  });

  it("replaces the word around the cursor, colon included", async () => {
    const { at } = await open("json", '{"statement": [{"action": ["fs:Re|adX"]}]}');
    const items = (await editor.sendRequest("textDocument/completion", at)) as {
      label: string;
      textEdit: { range: unknown };
    }[];
    const item = items.find(({ label }) => label === "fs:ReadObject");
    expect(item?.textEdit.range).toEqual({
      start: { line: 0, character: 28 },
      end: { line: 0, character: 36 },
    });
  });
});

describe("hover", () => {
  it("says what an action means, and what a pattern stands for", async () => {
    expect(await hoverAt("json", '{"statement": [{"action": ["fs:Read|Repository"]}]}')).toBe(
      "**fs:ReadRepository**: Read a repository and its metadata.\n\nAsked about `arn:svc:fs:::repository/{repository}`",
    );
    expect(await hoverAt("json", '{"statement": [{"action": ["fs:ReadObje|t"]}]}')).toBe(
      "⚠ there is no action fs:ReadObjet (did you mean fs:ReadObject?)",
    );
    const pattern = await hoverAt("yaml", "statement:\n  - action: ['fs:Read|*']\n");
    expect(pattern).toMatch(/stands for \d+ actions/);
    expect(pattern).toContain("- fs:ReadObject");
  });

  it("names the type of a resource", async () => {
    expect(await hoverAt("json", '{"statement": [{"resource": "arn:svc:fs:::reposi|tory/data"}]}')).toContain(
      "**repository**",
    );
    expect(
      await hoverAt("yaml", "statement:\n  - resource: arn:svc:fs:::repository/${user}/obj|ect/*\n"),
    ).toContain("**object**");
    expect(await hoverAt("json", '{"statement": [{"resource": "arn:svc:fs:::repositories/d|ata"}]}')).toMatch(
      /^⚠ no resource type has ARNs of the form .+ \(did you mean arn:svc:fs:::repository\/data/,
    );
  });

  it("is silent elsewhere", async () => {
    expect(await hoverAt("json", '{"na|me": "P", "statement": []}')).toBeUndefined();
  });
});

it("ends with exit code 0 when the editor says so", async () => {
  const exit = once(server, "exit");
  await editor.sendRequest("shutdown");
  await editor.sendNotification("exit");
  expect(await exit).toEqual([0, null]);
});
