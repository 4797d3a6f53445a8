/** The service goes, or does not answer: each proxy, as deploy/exchange configures it, lets nothing pass (spec/exchange §6). */

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { freePort } from "../free-port.ts";
import { missing, PROGRAM_NAMES, startProxy } from "../gateways/proxy-program.ts";
import { startOneKeyServer } from "./one-key-server.ts";
import { basicOf, PROXY_TOKEN, signedBy, startExchange } from "./start-exchange.ts";

const GRPC = "envoy over grpc";

/** The statuses of a request of the main API and of one for S3, both of which may pass. */
async function statuses(port: number): Promise<readonly number[]> {
  const url = `http://127.0.0.1:${port}`;
  const main = fetch(`${url}/api/v1/repositories/data/branches`, {
    headers: { authorization: basicOf("writer") },
  });
  const { uri, headers } = signedBy("writer", "GET", "/data/main/a", {
    headers: { host: `127.0.0.1:${port}` },
  });
  const shown = Object.fromEntries(headers.filter(([name]) => name !== "host"));
  const answers = await Promise.all([main, fetch(`${url}${uri}`, { headers: shown })]);
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return answers.map(({ status }) => status);
}

for (const name of PROGRAM_NAMES) {
  const why = missing(name);
  describe.skipIf(why !== undefined)(
    `behind ${name}, with one key, without the service${why === undefined ? "" : ` (${why})`}`,
    () => {
      // Each is mostly a wait, and has servers of its own.
      it.concurrent("its end takes all access with it, and its start brings it back", async () => {
        const dataServer = await startOneKeyServer();
        const authorizerPort = await freePort();
        const item = name === GRPC ? "authorizer.ext_authz.listen_address" : "authorizer.listen_address";
        const start = () => startExchange(name, { [item]: `127.0.0.1:${authorizerPort}` });
        let authorizer = await start();
        const ports = { dataServerPort: dataServer.port, authorizerPort };
        const proxy = await startProxy(name, { ...ports, proxyToken: PROXY_TOKEN, exchange: true });
        try {
          expect(await statuses(proxy.port)).toEqual([200, 200]);
          await authorizer.close();
          dataServer.arrived.length = 0;
          for (const status of await statuses(proxy.port)) expect(status).toBeGreaterThanOrEqual(500);
          expect(dataServer.arrived).toEqual([]);
          authorizer = await start();
          // nginx passes a server over for ten seconds that did not answer.
          const back = { interval: 500 };
          await expect.poll(() => statuses(proxy.port), back).toEqual([200, 200]);
        } finally {
          await proxy.close();
          await authorizer.close();
          await dataServer.close();
        }
      });

      it.concurrent("its silence ends in a refusal: 5 s, Traefik's own 30 s", async () => {
        const dataServer = await startOneKeyServer();
        const sockets = new Set<Socket>();
        const silent = createServer((socket) => sockets.add(socket.on("error", () => undefined)));
        await once(silent.listen(0, "127.0.0.1"), "listening");
        const { port: authorizerPort } = silent.address() as AddressInfo;
        const proxy = await startProxy(name, {
          ...{ dataServerPort: dataServer.port, authorizerPort, proxyToken: PROXY_TOKEN, exchange: true },
        });
        // nginx was asked for the page of the data server when it started.
        dataServer.arrived.length = 0;
        try {
          for (const status of await statuses(proxy.port)) expect(status).toBeGreaterThanOrEqual(500);
          expect(sockets.size).toBeGreaterThan(0);
          expect(dataServer.arrived).toEqual([]);
        } finally {
          await proxy.close();
          for (const socket of sockets) socket.destroy();
          silent.close();
          await dataServer.close();
        }
      });
    },
  );
}
