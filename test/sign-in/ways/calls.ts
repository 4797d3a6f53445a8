/** Calls by which the ways show what somebody has, and what comes of it. */

/** The outcome of a case. */
export interface Shown {
  readonly status: number;
  readonly text: string;
  /** The user who is in, by what was given; absent: nobody. */
  readonly user?: string | undefined;
  /** Texts that were shown and given, and that no record may have. */
  readonly secrets: readonly string[];
}

/** The cases of a way, by what is shown. */
export type Cases = Readonly<Record<string, () => Promise<Shown>>>;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** {} for what is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
}

type Sent = Readonly<Record<string, string>>;

/** Sends JSON. */
export const postJson = (url: string, body: unknown, headers: Sent = {}) =>
  sent(url, JSON.stringify(body), { "content-type": "application/json", ...headers });

/** Sends a form. */
export const postForm = (url: string, form: Sent, headers: Sent = {}) =>
  sent(url, new URLSearchParams(form), headers);

async function sent(url: string, body: string | URLSearchParams, headers: Sent): Promise<Answer> {
  const answer = await fetch(url, { method: "POST", body, headers, redirect: "manual" });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    headers: answer.headers,
    json: text.startsWith("{") ? (JSON.parse(text) as Answer["json"]) : {},
  };
}

/** The user whom the management API finds in a request; undefined for nobody. */
export async function whoIs(userUrl: string, headers: Sent): Promise<string | undefined> {
  const answer = await fetch(`${userUrl}/api/v1/user`, { headers });
  return answer.ok ? ((await answer.json()) as { user: { id: string } }).user.id : undefined;
}

/** The outcome of a log-in that answers a token. */
export async function ofToken(
  userUrl: string,
  { status, text, json }: Answer,
  secrets: readonly string[],
): Promise<Shown> {
  const token = json["token"] ?? json["access_token"];
  if (typeof token !== "string") return { status, text, secrets };
  const scheme = json["token_type"] === "Basic" ? "Basic" : "Bearer";
  const user = await whoIs(userUrl, { authorization: `${scheme} ${token}` });
  return { status, text, user, secrets: [...secrets, token] };
}

/** Runs something while the clock is ahead. */
export async function later<T>(seconds: number, run: () => Promise<T>): Promise<T> {
  const Clock = globalThis.Date;
  class Ahead extends Clock {
    constructor(...given: [] | [number]) {
      super(...(given.length === 0 ? ([Ahead.now()] as const) : given));
    }
    static override now(): number {
      return Clock.now() + seconds * 1_000;
    }
  }
  globalThis.Date = Ahead as DateConstructor;
  try {
    return await run();
  } finally {
    globalThis.Date = Clock;
  }
}

/** Does the same twice; what came of the second time. */
export async function twice<T>(run: () => Promise<T>): Promise<T> {
  await run();
  return run();
}
