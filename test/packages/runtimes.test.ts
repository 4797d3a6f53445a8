/** The client's package on Deno and Bun, against a running service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasProgram } from "../journal/has-program.ts";
import { type Consumer, environment, installPackages } from "./installed.ts";

/** The command of each runtime. Deno gives a program no more than is listed: two variables, and calls to this machine. */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  deno: [
    "run",
    "--no-prompt",
    "--node-modules-dir=manual",
    "--allow-env=URL_OF_SERVICE,TOKEN",
    "--allow-net=127.0.0.1",
  ],
  bun: ["run"],
};

const PROGRAM = `import process from "node:process";
import { AuthorizerClient, ClientError } from "@svc-authorizer/client";
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded";
import { requirePermission } from "@svc-authorizer/client/hono";

interface Context { readonly user?: string }
const { URL_OF_SERVICE: url = "", TOKEN: token = "" } = process.env;
const ACTIONS = ["fs:ReadObject", "fs:WriteObject"] as const;
const object: string = "arn:svc:fs:::repository/r/object/o";
const client = new AuthorizerClient({ url, token });
const point = await EmbeddedAuthorizer.follow({ url, token });
const guard = requirePermission<Context>(client, { action: "fs:WriteObject", resource: object, user: (context) => context.user });
const answered: number[] = [];
for (const context of [{}, { user: "viewer" }, { user: "developer" }]) {
  answered.push((await guard(context, async () => {}))?.status ?? 200);
}
const codeOf = (other: AuthorizerClient) => other.allows("viewer", "fs:ReadObject", object).then(
  () => "none",
  (error) => (error instanceof ClientError ? error.code : String(error)),
);
let streamed = 0;
const many = Array.from({ length: 5_000 }, (_, n) => object + n);
for await (const index of client.filterStream({ user: "viewer", action: "fs:ReadObject" }, many)) streamed += index === streamed ? 1 : 0;
console.log(JSON.stringify({
  streamed,
  asked: await Promise.all(ACTIONS.map((action) => client.allows("viewer", action, object))),
  embedded: ACTIONS.map((action) => point.allows("viewer", action, object)),
  answered,
  codes: [
    await codeOf(new AuthorizerClient({ url, token: "not-a-token-of-this-service-0123456789" })),
    await codeOf(new AuthorizerClient({ url: "http://127.0.0.1:9", token, retries: 0 })),
  ],
}));
point.close();
`;

let consumer: Consumer;
let authorizer: TestAuthorizer;
const there = Object.keys(RUNTIMES).filter(hasProgram);
beforeAll(async () => {
  if (there.length === 0) return;
  consumer = installPackages("client");
  writeFileSync(join(consumer.folder, "use.ts"), PROGRAM);
  authorizer = await startAuthorizer({ dataset: "fixtures/datasets/roles.yaml" });
});
afterAll(async () => {
  consumer?.remove();
  await authorizer?.close();
});

describe.each(Object.keys(RUNTIMES))("the client's package on %s", (runtime) => {
  it.skipIf(!there.includes(runtime))(
    "asks, decides in memory, guards a route and names errors",
    async () => {
      // This process must stay free to answer the program.
      const child = spawn(runtime, [...RUNTIMES[runtime]!, "use.ts"], {
        cwd: consumer.folder,
        env: { ...environment(), URL_OF_SERVICE: authorizer.url, TOKEN: authorizer.token },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
      expect(code).toBe(0);
      expect(JSON.parse(output)).toEqual({
        streamed: 5_000,
        asked: [true, false],
        embedded: [true, false],
        answered: [401, 403, 200],
        codes: ["unauthenticated", "unreachable"],
      });
    },
  );
});
