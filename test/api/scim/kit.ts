/** A running service for an identity provider, and conversations with it from `fixtures/scim`. */

import { readFileSync } from "node:fs";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect } from "vitest";
import { type Answer, call as callTarget } from "../../http/call.ts";
import { documentedAnswer } from "../openapi/validate-response.ts";

/** Token of the identity provider. */
export const IDP = "idp-token-0123456789-0123456789-01234";
/** Token of a service that asks for decisions. */
export const DECIDER = "decider-token-0123456789-0123456789";

/** One call and its answer. `$name` stands for a value that an earlier step kept. */
interface Step {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly send?: unknown;
  readonly status: number;
  /** Members of the answer: lists whole, objects in part. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly absent?: readonly string[];
  readonly keep?: Readonly<Record<string, string>>;
}

/** The steps of a fixture. */
export function stepsOf(name: string): readonly Step[] {
  const file = new URL(`../../../fixtures/scim/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly steps: readonly Step[] }).steps;
}

/** Starts the service. */
export function startScim(config: Record<string, unknown> = {}): Promise<TestAuthorizer> {
  return startAuthorizer({
    config: {
      "authorizer.tokens": [
        { name: "idp", token: IDP, scopes: ["scim"] },
        { name: "decider", token: DECIDER, scopes: ["decide", "read"], assert_groups: ["*"] },
      ],
      ...config,
    } as never,
  });
}

/** Makes a call; the answer must be one that the OpenAPI document has, in the media type of SCIM. */
export async function call(
  { url }: { readonly url: string },
  method: string,
  path: string,
  send?: unknown,
  token = IDP,
): Promise<Answer> {
  const answer = await callTarget(url, method, `/scim/v2${path}`, {
    body: send,
    headers: {
      authorization: `Bearer ${token}`,
      ...(send !== undefined && { "content-type": "application/scim+json; charset=utf-8" }),
    },
  });
  if (answer.text !== "") expect(answer.headers.get("content-type")).toBe("application/scim+json");
  const known = !/^\/Toasters/.test(path);
  return known ? documentedAnswer(method, `/scim/v2${path}`, answer) : answer;
}

/** Plays a step. */
export async function play(service: TestAuthorizer, step: Step, kept: Map<string, string>): Promise<void> {
  const filled = <T>(value: T): T => {
    if (value === undefined) return value;
    const text = JSON.stringify(value).replaceAll(
      /\$(user|other|group)\b/g,
      (found, name) => kept.get(name) ?? found,
    );
    return JSON.parse(text) as T;
  };
  const answer = await call(service, step.method, filled(step.path), filled(step.send));
  expect([answer.status, answer.text], step.name).toEqual([step.status, answer.text]);
  if (step.body !== undefined) expect(answer.body).toMatchObject(filled(step.body));
  for (const name of step.absent ?? []) expect(answer.body).not.toHaveProperty(name);
  for (const [name, member] of Object.entries(step.keep ?? {})) kept.set(name, answer.body[member]);
}
