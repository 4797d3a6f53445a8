/**
 * `npm run bench -- --largeUsers`: users with many groups or policies: what the first question about such a user costs, and
 * the first after a change to one of the policies, in processor time of the service. The local store, default items. Of
 * first questions there are two kinds: the very first of a service that has just started, and one of a service that had a
 * moment to read ahead and that answers others. Of users with very many policies it reads few ahead, so there is one of another
 * such user too.
 */
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { localConfig } from "./cold.ts";
import { median } from "./compare.ts";
import { type StartedServer, startServer } from "./processes.ts";

const GROUPS = 1_000;
const POLICIES = 10_000;
/** So many that most of them meet code that V8 has compiled, as in a service that runs. */
const CHANGES = 61;

/** Other users who ask before, each in some of the groups. */
const OTHERS = 20;
const GROUPS_OF_OTHERS = 3;
/**
 * Users with nearly the same policies, of which one at least is not read ahead: the lists of all of them are more than is
 * remembered.
 */
const SIMILAR = ["similar-0", "similar-1", "similar-2"];
/** A service is idle if it used at most a few milliseconds in so many. */
const IDLE_MS = 500;
const IDLE_CPU_MS = 10;

/** One row of the table; milliseconds of the service's processor time. */
interface LargeUserRow {
  readonly name: string;
  /** The first question of all, right after the start. */
  readonly atStart?: number;
  /** The first question about the user in a service that answers others. */
  readonly first: number;
  /** A change to one of the policies and the question behind it, without what a change to a policy of nobody costs. */
  readonly afterChange?: number;
}

const policy = (name: string, key: string): { name: string; statement: unknown[] } => ({
  name,
  statement: [
    {
      effect: "allow",
      action: ["fs:ReadObject"],
      resource: `arn:svc:fs:::repository/${name}/object/${key}/*`,
    },
  ],
});

const names = (prefix: string, amount: number): readonly string[] =>
  Array.from({ length: amount }, (_, index) => `${prefix}-${String(index).padStart(5, "0")}`);

function dataset(): unknown {
  const groups = names("group", GROUPS);
  const own = names("own", POLICIES);
  return {
    format: 1,
    policies: [...groups.map((name) => `of-${name}`), ...own, "of-nobody"].map((name) =>
      policy(name, "data"),
    ),
    groups: groups.map((name) => ({ name, policies: [`of-${name}`] })),
    users: [
      ...Array.from({ length: OTHERS }, (_, index) => ({
        username: `other-${index}`,
        groups: groups.slice(index * GROUPS_OF_OTHERS, (index + 1) * GROUPS_OF_OTHERS),
      })),
      { username: "many-groups", groups },
      { username: "many-policies", policies: own },
      ...SIMILAR.map((username, index) => ({
        username,
        policies: own.filter((_, position) => position !== index),
      })),
    ],
  };
}

async function call(server: StartedServer, method: string, path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${serviceUrl(server)}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function ask(server: StartedServer, user: string, name: string, key: string): Promise<void> {
  const required = { action: "fs:ReadObject", resource: `arn:svc:fs:::repository/${name}/object/${key}/a` };
  const { allowed } = (await call(server, "POST", "/access/v1/check", { user, required })) as {
    allowed: boolean;
  };
  if (!allowed) throw new Error(`${user} may not read ${name}`);
}

/** Milliseconds of processor time that all threads of the service use for some work. */
async function used(server: StartedServer, work: () => Promise<void>): Promise<number> {
  const before = server.cpuMs();
  await work();
  return server.cpuMs() - before;
}

async function measureUser(
  server: StartedServer,
  user: string,
  name: string,
): Promise<Required<Pick<LargeUserRow, "first" | "afterChange">>> {
  const first = await used(server, () => ask(server, user, name, "data"));
  const times: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const key = `data-${change}`;
    const put = (of: string): Promise<unknown> =>
      call(server, "PUT", `/api/v1/auth/policies/${of}`, policy(of, key));
    const nobody = await used(server, async () => void (await put("of-nobody")));
    const both = await used(server, async () => {
      await put(name);
      await ask(server, user, name, key);
    });
    times.push(both - nobody);
  }
  return { first, afterChange: median(times) };
}

/** Resolves when the service has nothing left to do. */
async function idle(server: StartedServer): Promise<void> {
  for (;;) {
    const cpu = await used(server, () => delay(IDLE_MS));
    if (cpu <= IDLE_CPU_MS) return;
  }
}

/** Measures a user in 1,000 groups and one with 10,000 policies. */
export async function measureLargeUsers(log: (text: string) => void): Promise<LargeUserRow[]> {
  const path = write("large-users.json", JSON.stringify(dataset()));
  const start = (name: string): Promise<StartedServer> =>
    startServer([program, "run", "--config", localConfig(name), "--authorizer.datasets", path]);
  const users = [
    ["1,000 groups", "many-groups", "of-group-00500"],
    ["10,000 own policies", "many-policies", "own-05000"],
  ] as const;
  const atStart: number[] = [];
  for (const [, user, of] of users) {
    const server = await start(`start-${user}`);
    atStart.push(await used(server, () => ask(server, user, of, "data")));
    await server.stop();
  }
  const server = await start("large-users");
  await idle(server);
  for (let other = 0; other < OTHERS; other++) {
    const group = `group-${String(other * GROUPS_OF_OTHERS).padStart(5, "0")}`;
    await ask(server, `other-${other}`, `of-${group}`, "data");
  }
  const rows: LargeUserRow[] = [];
  for (const [index, [name, user, of]] of users.entries()) {
    rows.push({ name, atStart: atStart[index] as number, ...(await measureUser(server, user, of)) });
    log(JSON.stringify(rows.at(-1)));
  }
  const similar: number[] = [];
  for (const user of SIMILAR)
    similar.push(await used(server, () => ask(server, user, "own-05000", "data-60")));
  rows.push({ name: "10,000 own policies, not read ahead", first: Math.max(...similar) });
  log(JSON.stringify(rows.at(-1)));
  await server.stop();
  return rows;
}

if (process.argv[1] === import.meta.filename) {
  try {
    console.table(await measureLargeUsers(console.error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
