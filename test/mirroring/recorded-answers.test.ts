/** The stand-in answers as a real data server did: the recorded calls, in their order. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { readFixture } from "../read-fixture.ts";
import { pathOf } from "./stand-in/path-bytes.ts";
import { StandIn } from "./stand-in/stand-in.ts";

interface Step {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** 0: the connection ended. */
  readonly status: number;
  readonly answer?: unknown;
  /** Length of an answer that is not JSON. */
  readonly bytes?: number;
}

const { steps } = readFixture<{ steps: readonly Step[] }>("mirroring/recorded-answers.json");
/** Creation dates of repositories are those of the day. */
const LATEST_IN_RECORDING = 1_700_001_000;
let server: StandIn;

beforeAll(async () => {
  server = await StandIn.start();
  const source = server.create("src");
  const content = source.upload({
    five: "hello",
    empty: "",
    cut: "hello",
    gone: "12345",
    [pathOf(Buffer.from("caf\xe9", "latin1"))]: "hello",
  });
  source.commit("main", content);
  const keyOf = (path: string): string => `local://src/${content.get(path)?.address}`;
  server.store.set(keyOf("cut"), Buffer.from("he"));
  server.store.delete(keyOf("gone"));
});
afterAll(() => server.close());

it.each(steps.map((step) => [step.what, step] as const))("%s", async (_, step) => {
  const { method, path, body, headers, status, answer, bytes } = step;
  let found: { status: number; text: string };
  try {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: "Basic eA==",
        ...headers,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    found = { status: response.status, text: await response.text() };
  } catch {
    found = { status: 0, text: "" };
  }
  expect(found.status).toBe(status);
  if (answer === undefined) return expect(Buffer.byteLength(found.text)).toBe(bytes);
  const dated = JSON.parse(found.text, (name, value) =>
    name === "creation_date" && value > LATEST_IN_RECORDING ? "TIME" : value,
  );
  return expect(dated).toEqual(answer);
});
