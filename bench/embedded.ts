/**
 * Decisions of an embedded point (`EmbeddedAuthorizer.allows`) per second of CPU time: a thousand users in twenty
 * groups, half of the questions refused, each question with strings of its own.
 */
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { benchPolicies, benchResource } from "./engine.ts";

const USERS = 1_000;
const GROUPS = 20;
const QUESTIONS = 200_000;
const ROUNDS = 9;

/** A point over a data set in which each group has a share of the statements and each user is in two groups. */
function pointOf(statements: number): EmbeddedAuthorizer {
  const policies = benchPolicies(statements);
  const shares = Array.from({ length: GROUPS }, (_, group) => ({
    name: `group-${group}`,
    policies: policies.filter((__, index) => index % GROUPS === group).map(({ name }) => name),
  }));
  const users = Array.from({ length: USERS }, (_, user) => ({
    username: `user-${user}`,
    groups: [`group-${user % GROUPS}`, `group-${(user + 1) % GROUPS}`],
  }));
  return EmbeddedAuthorizer.fromDataset({ format: 1, users, groups: shares, policies } as never);
}

interface Question {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
}

/** A resource of a policy of one of the user's groups; every second question is about what nobody may do. */
function questionOf(statements: number, index: number): Question {
  const policies = Math.ceil(statements / 10);
  const user = index % USERS;
  const share = Math.floor(policies / GROUPS);
  const policy = share === 0 ? index : (user % GROUPS) + GROUPS * (index % share);
  const action = index % 2 === 0 ? "fs:ReadObject" : "fs:DeleteRepository";
  const question = { user: `user-${user}`, action, resource: benchResource(statements, policy) };
  return JSON.parse(JSON.stringify(question)) as Question;
}

/** Decisions per second of CPU time with this many statements: the median of some rounds. */
export function embeddedRate(statements: number): number {
  const point = pointOf(statements);
  const rates = Array.from({ length: ROUNDS }, () => {
    const questions = Array.from({ length: QUESTIONS }, (_, index) => questionOf(statements, index));
    let allowed = 0;
    const before = process.cpuUsage();
    for (const { user, action, resource } of questions) if (point.allows(user, action, resource)) allowed++;
    const { user, system } = process.cpuUsage(before);
    if (allowed * 2 !== QUESTIONS) throw new Error(`${allowed} of ${QUESTIONS} allowed`);
    return QUESTIONS / ((user + system) / 1e6);
  });
  point.close();
  return rates.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number;
}

if (process.argv[1] === import.meta.filename) {
  for (const statements of [1_000, 10_000]) {
    console.log(
      `${statements} statements: ${Math.round(embeddedRate(statements)).toLocaleString("en")} decisions/s`,
    );
  }
}
