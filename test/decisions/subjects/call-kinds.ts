/** The calls that decide about one subject, each as the list of the records that the subject may read. */

/** Posts a body and returns that of the answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
export type Ask = (path: string, body: unknown) => Promise<any>;

/** A subject as a test names it: of native calls the members beside `user`, of AuthZEN calls the properties. */
interface NamedSubject {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly token?: string | undefined;
}

/** The records that the calls are about. */
export const IDS = ["red-1", "blue-1", "green-1"];

/** The ARN of a record. */
export const arnOf = (id: string) => `arn:svc:demo:::record/${id}`;

/** The subject in an AuthZEN call. */
export const authzenSubject = ({ user, ...properties }: NamedSubject) => ({
  type: "user",
  id: user,
  ...(Object.values(properties).some((value) => value !== undefined) && { properties }),
});

const READ = { name: "read" };
const record = (id: string) => ({ type: "record", id });

/** Asks about each record; returns those for which the question says yes, in byte order. */
async function each(yes: (id: string) => Promise<boolean>): Promise<string[]> {
  const found: string[] = [];
  for (const id of IDS) if (await yes(id)) found.push(id);
  return found.sort();
}

/** The records of which each call says that the subject may read, in byte order. */
export const CALLS: Readonly<Record<string, (ask: Ask, subject: NamedSubject) => Promise<string[]>>> = {
  evaluation: (ask, subject) =>
    each(async (id) => {
      const body = { subject: authzenSubject(subject), action: READ, resource: record(id) };
      return (await ask("/evaluation", body)).decision;
    }),
  evaluations: async (ask, subject) => {
    const evaluations = IDS.map((id) => ({ resource: record(id) }));
    const answer = await ask("/evaluations", { subject: authzenSubject(subject), action: READ, evaluations });
    return IDS.filter((_, index) => answer.evaluations[index].decision).sort();
  },
  check: (ask, subject) =>
    each(async (id) => {
      const required = { action: "demo:Read", resource: arnOf(id) };
      return (await ask("/check", { ...subject, required })).allowed;
    }),
  filter: async (ask, subject) => {
    const { allowed } = await ask("/filter", { ...subject, action: "read", type: "record", ids: IDS });
    return (allowed as number[]).map((index) => IDS[index] as string).sort();
  },
  "search for resources": async (ask, subject) => {
    const body = { subject: authzenSubject(subject), action: READ, resource: { type: "record" } };
    return (await ask("/search/resource", body)).results.map(({ id }: { id: string }) => id).sort();
  },
  "search for actions": (ask, subject) =>
    each(async (id) => {
      const body = { subject: authzenSubject(subject), resource: record(id) };
      const { results } = await ask("/search/action", body);
      return results.some(({ name }: { name: string }) => name === "read");
    }),
  "what-can": (ask, subject) =>
    each(async (id) => {
      const { results } = await ask("/what-can", { ...subject, resource: arnOf(id) });
      return results.includes("demo:Read");
    }),
};
