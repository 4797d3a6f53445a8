/**
 * Sends random requests through nginx with an exchange, and to forward-auth without one, and compares what reached the data
 * server with what is allowed.
 */

import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { startProxy } from "../gateways/proxy-program.ts";
import { portFor } from "../gateways/start-behind-proxy.ts";
import { type Arrived, startOneKeyServer } from "./one-key-server.ts";
import { isRefused, type RandomRequest, randomRequest } from "./random-request.ts";
import { EXCHANGE, PROXY_TOKEN, startExchange } from "./start-exchange.ts";

const AT_ONCE = 16;
/** Answers of a proxy or service that had no decision in time: a machine with other work. */
const NO_DECISION: ReadonlySet<number> = new Set([502, 503, 504]);
/** Times that a request is sent again which had no decision, with 100 ms between. */
const MOST_TIMES = 600;

/** The outcome of a round. */
interface Round {
  /** Requests of which just one side passed; their `id` makes them again. */
  readonly differing: readonly RandomRequest[];
  /** A line for each request that reached the data server otherwise than it was sent. */
  readonly strange: readonly string[];
  /** Requests that reached the data server. */
  readonly arrived: number;
  /** Times that requests were sent again, since nobody had decided about them. */
  readonly again: number;
}

/** The servers. */
interface RandomRounds {
  /** Sends the requests of a seed from a number on. */
  round(seed: number, from: number, count: number): Promise<Round>;
  close(): Promise<void>;
}

/** Starts the data server, the service with and without an exchange, and nginx. */
export async function startRandomRounds(): Promise<RandomRounds> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * AT_ONCE });
  const dataServer = await startOneKeyServer();
  const authorizer = await startExchange("nginx", {
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
    // The bodies are empty.
    "authorizer.exchange.name_in_metadata": "off",
  });
  const { "authorizer.forward_auth.proxy_token": token } = EXCHANGE;
  const plain = await startExchange("nginx", {}, { "authorizer.forward_auth.proxy_token": token });
  const ports = { dataServerPort: dataServer.port, authorizerPort: portFor(authorizer) };
  const portOf = (url: string | undefined): number => Number(new URL(url as string).port);
  const proxy = await startProxy("nginx", {
    ...ports,
    streamingPort: portOf(authorizer.streamingUrl),
    userPort: portOf(authorizer.userUrl),
    proxyToken: PROXY_TOKEN,
    exchange: true,
  });
  return {
    round: async (seed, from, count) => {
      dataServer.arrived.length = 0;
      const sides = { agent, plainPort: portFor(plain), proxyPort: proxy.port, arrived: dataServer.arrived };
      const sent = await send(sides, seed, { from, count });
      return compare(sent, dataServer.arrived);
    },
    close: async () => {
      agent.destroy();
      await proxy.close();
      await authorizer.close();
      await plain.close();
      await dataServer.close();
    },
  };
}

interface Sides {
  readonly agent: Agent;
  readonly plainPort: number;
  readonly proxyPort: number;
  readonly arrived: readonly Arrived[];
}

interface Sent {
  readonly all: readonly RandomRequest[];
  /** Ids of what forward-auth allows and no rule refuses. */
  readonly expected: ReadonlySet<string>;
  readonly again: number;
}

async function send(
  { agent, plainPort, proxyPort, arrived }: Sides,
  seed: number,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<Sent> {
  const all: RandomRequest[] = [];
  const expected = new Set<string>();
  let again = 0;
  let next = from;
  /** Sends until somebody has decided, or what was sent has arrived all the same. */
  const decided = async (port: number, call: Call, hasArrived: () => boolean): Promise<number> => {
    let status = await statusOf(agent, port, call);
    for (let times = 0; NO_DECISION.has(status) && !hasArrived(); times++) {
      if (times === MOST_TIMES) throw new Error(`no decision about ${call.method} ${call.path}: ${status}`);
      again++;
      await setTimeout(100);
      status = await statusOf(agent, port, call);
    }
    return status;
  };
  const worker = async (): Promise<void> => {
    while (next < from + count) {
      // Signed when it is sent: a signature holds for 15 minutes.
      const one = randomRequest(seed, next++);
      all.push(one);
      const { id, method, uri: path, host } = one;
      const shown = one.headers.flat();
      const asked = ["host", "authorizer", "x-svc-proxy-token", PROXY_TOKEN, "x-original-method", method];
      asked.push("x-original-uri", path, "x-original-host", host, ...shown);
      const plain = { method: "GET", path: "/forward-auth", headers: asked };
      const allowed = (await decided(plainPort, plain, () => false)) === 200;
      if (allowed && !isRefused(one)) expected.add(id);
      const headers = ["host", host, "content-length", "0", "x-id", id, ...shown];
      await decided(proxyPort, { method, path, headers }, () =>
        arrived.some((it) => it.headers["x-id"] === id),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { all, expected, again };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
}

/** The status of a request; its body is passed over. */
async function statusOf(agent: Agent, port: number, call: Call): Promise<number> {
  const sent = httpRequest({ host: "127.0.0.1", port, agent, setHost: false, ...call } as never);
  let answered: unknown[];
  try {
    answered = await once(sent.end(), "response");
  } catch (error) {
    // The server closed a free connection just as the request took it.
    if (!sent.reusedSocket) throw error;
    return statusOf(agent, port, call);
  }
  const [answer] = answered as [IncomingMessage];
  answer.resume();
  await once(answer, "end");
  return answer.statusCode ?? 0;
}

function compare({ all, expected, again }: Sent, arrived: readonly Arrived[]): Round {
  const byId = new Map(all.map((one) => [one.id, one]));
  const reached = new Set(arrived.map(({ headers }) => String(headers["x-id"])));
  const differing = all.filter(({ id }) => reached.has(id) !== expected.has(id));
  const strange = arrived.flatMap((it) => strangeness(it, byId.get(String(it.headers["x-id"]))));
  return { differing, strange, arrived: reached.size, again };
}

function strangeness(
  { status, method, target, headers }: Arrived,
  sent: RandomRequest | undefined,
): string[] {
  const what = `${sent?.id ?? "no request of this round"}: ${method} ${target}`;
  if (sent === undefined) return [what];
  const is = (held: boolean, text: string): string[] => (held ? [] : [`${what} ${text}`]);
  return [
    // The new credential fits each request.
    ...is(status === 200, `was refused by the data server with ${status}`),
    ...is(method === sent.method && target === sent.uri, `was sent as ${sent.method} ${sent.uri}`),
    ...is(headers["x-svc-user"] === (sent.user ?? "-"), `came as of ${headers["x-svc-user"]}`),
    // With the key where there is a user, else without any credential.
    ...is((headers.authorization === undefined) === (sent.user === undefined), "has another credential"),
  ];
}
