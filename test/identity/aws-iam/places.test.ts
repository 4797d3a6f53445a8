/** AWS that does not answer: callers wait in a bounded number of places, of which nobody has more than half. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { AwsIdentities } from "../../../src/identity/aws-iam/aws-identities.ts";
import { codeOf } from "../../directory/backends.ts";
import { identityBody, identityRequest, presignIdentity } from "./sts-stand-in.ts";

it("gives nobody more than half of the places, and gives them back", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
  });
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const identities = new AwsIdentities({
    directory: { externalPrincipals: { owner: async () => undefined } } as never,
    stsHosts: [host],
    maxAge: 60_000,
    serverId: "a",
  });
  const signed = presignIdentity(
    { accessKeyId: "ASIA", secret: "s" },
    { host, serverId: "a", at: Date.now() },
  );
  const ask = (source: string) => identities.principalOf(identityBody(identityRequest(signed)), source);
  const waiting = ["one", "two"].flatMap((source) => Array.from({ length: 16 }, () => codeOf(ask(source))));
  const early = (source: string) => ask(source).catch((error: unknown) => String(error));
  expect(await early("one")).toContain("too many identities");
  expect(await early("three")).toContain("too many identities");
  while (sockets.length < 32) await new Promise((resolve) => setImmediate(resolve));
  for (const socket of sockets) socket.destroy();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["unavailable"]));
  silent.close();
  expect(await early("one")).toContain("does not answer");
});
