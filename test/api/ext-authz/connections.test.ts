/** Connections of the listener of ext_authz. */

import { once } from "node:events";
import http2 from "node:http2";
import { connect, type Socket } from "node:net";
import { status } from "@grpc/grpc-js";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { cleanUp } from "../../end-to-end/program.ts";
import { bearer, by, DECIDER, started } from "./started.ts";

afterAll(cleanUp);

describe("connections over gRPC", () => {
  it("take as many calls at once as may come in one turn", async () => {
    const [other] = await started({});
    const session = http2.connect(`http://${other.extAuthz}`);
    onTestFinished(() => session.destroy());
    const [settings] = (await once(session, "remoteSettings")) as [http2.Settings];
    expect(settings.maxConcurrentStreams).toBe(256);
  });

  it("are bounded: for a further one, that without a call for longest gives way", async () => {
    const [other] = await started({});
    const [host, port] = (other.extAuthz as string).split(":") as [string, string];
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    /** Opens a connection; true when the server greets, false when it closes. */
    const opened = async (): Promise<boolean> => {
      const socket = connect(Number(port), host);
      sockets.push(socket);
      socket.on("error", () => {});
      socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
      return await new Promise<boolean>((resolve) => {
        socket.once("data", () => resolve(true));
        socket.once("close", () => resolve(false));
      });
    };
    const open: boolean[] = [];
    for (let index = 0; index < 1_000; index++) open.push(await opened());
    expect(open).not.toContain(false);
    const closed = (): number => sockets.filter(({ destroyed }) => destroyed).length;
    expect(closed()).toBe(0);
    expect(await opened()).toBe(true);
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
    expect(await opened()).toBe(true);
    await expect.poll(closed).toBe(2);
    expect(sockets[1]?.destroyed).toBe(true);
  });

  /** Opens a connection that sends something; resolves when the service has closed it. */
  const closedAfter = async (other: TestAuthorizer, sent: string | Buffer, from = "127.0.0.1") => {
    const [host = "", port] = (other.extAuthz as string).split(":");
    const socket = connect({ host, port: Number(port), localAddress: from });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {}).on("data", () => {});
    socket.write(sent);
    await once(socket, "close");
  };
  /** The preface of HTTP/2 and empty settings. */
  const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

  it("of peers that are not trusted are closed at once, and take no place of those that are", async () => {
    const [other, client] = await started({
      "authorizer.trusted_proxies": ["127.0.0.1"],
      "authorizer.limits.connections": 8,
    });
    for (let n = 0; n < 20; n++) await closedAfter(other, PREFACE, `127.0.0.${n + 2}`);
    expect(await client.health("")).toEqual({ status: 1 });
  });

  it("end where no whole call comes in time: silent within the protocol, or half a call", async () => {
    const [other, client] = await started({ "authorizer.limits.request_timeout": "300ms" });
    await closedAfter(other, PREFACE.slice(0, 10));
    await closedAfter(other, PREFACE);
    const session = http2.connect(`http://${other.extAuthz}`);
    onTestFinished(() => void session.destroy());
    const half = session.request({
      ":method": "POST",
      ":path": "/envoy.service.auth.v3.Authorization/Check",
      "content-type": "application/grpc",
      te: "trailers",
      ...bearer(DECIDER),
    });
    const [headers] = (await once(half, "response")) as [http2.IncomingHttpHeaders];
    expect(headers["grpc-status"]).toBe(String(status.DEADLINE_EXCEEDED));
    // The others are served on.
    expect((await client.check(by("writer"), bearer(DECIDER))).ok_response).toBeDefined();
  });

  it("that watch the health leave half of the places to other peers", async () => {
    const [other] = await started({});
    const sessions = [http2.connect(`http://${other.extAuthz}`)];
    onTestFinished(() => sessions.forEach((session) => void session.destroy()));
    const watch = async () => {
      const stream = (sessions[0] as http2.ClientHttp2Session).request({
        ":method": "POST",
        ":path": "/grpc.health.v1.Health/Watch",
        "content-type": "application/grpc",
        te: "trailers",
      });
      stream.end(Buffer.alloc(5));
      const [headers] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
      return headers["grpc-status"];
    };
    const told = [];
    for (let n = 0; n < 51; n++) told.push(await watch());
    expect(told.slice(0, 50)).toEqual(Array(50).fill(undefined));
    expect(told[50]).toBe(String(status.RESOURCE_EXHAUSTED));
  });
});
