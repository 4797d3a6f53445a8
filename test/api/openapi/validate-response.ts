/** Answers of the running service against its OpenAPI document. */

import { expect } from "vitest";
import type { MediaType, Response } from "../../../src/http/openapi/openapi-types.ts";
import { findOperation, responsesOf } from "./document.ts";
import { answerProblems, requestProblems } from "./schema-check.ts";

/** The parts of an answer that are checked. */
interface SeenAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came; "" for none. */
  readonly text: string;
}

/**
 * Fails the test unless the document has the operation, the status, the headers it must have, the content type and
 * every field of the body.
 * @param target path of the request as it was sent, with or without query
 */
export function expectDocumented(method: string, target: string, answer: SeenAnswer): void {
  expect(
    responseProblems(method, target, answer),
    `${method} ${target}: ${answer.text.slice(0, 500)}`,
  ).toEqual([]);
}

/** As {@link expectDocumented}, where the document has the operation at all; gives the answer back. */
export function documentedAnswer<T extends SeenAnswer>(method: string, target: string, answer: T): T {
  if (findOperation(method, target) !== undefined) expectDocumented(method, target, answer);
  return answer;
}

/** Every way in which an answer is not as documented. */
export function responseProblems(method: string, target: string, answer: SeenAnswer): readonly string[] {
  const found = findOperation(method, target);
  if (found === undefined) return ["the document has no such operation"];
  const response = responsesOf(found.operation).get(String(answer.status));
  if (response === undefined) return [`status ${answer.status} is not documented`];
  return [...headerProblems(response, answer.headers), ...bodyProblems(response, answer)];
}

function headerProblems(response: Response, headers: Headers): readonly string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
    const value = headers.get(name);
    if (value === null) return header.required ? [`header ${name} is missing`] : [];
    const typed = header.schema.type === "integer" ? Number(value) : value;
    return requestProblems(header.schema, typed).map((problem) => `header ${name}: ${problem}`);
  });
}

function bodyProblems(response: Response, { headers, text }: SeenAnswer): readonly string[] {
  const type = headers.get("content-type")?.split(";")[0]?.trim();
  if (response.content === undefined) {
    return [
      ...(text === "" ? [] : ["there is a body"]),
      ...(type === undefined ? [] : ["there is a content type without a body"]),
    ];
  }
  const media = type === undefined ? undefined : response.content[type];
  if (media === undefined) return [`content type ${type} is not documented`];
  return mediaProblems(media, text);
}

/** Returns the parts of a body that the document does not allow. */
export function mediaProblems(media: MediaType, text: string): readonly string[] {
  const lines = media["x-itemSchema"];
  if (lines === undefined) return jsonProblems(text, (value) => answerProblems(media.schema, value));
  if (!text.endsWith("\n")) return ["the last line does not end"];
  return text
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => jsonProblems(line, (value) => answerProblems(lines, value)));
}

function jsonProblems(text: string, check: (value: unknown) => readonly string[]): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [`not JSON: ${text.slice(0, 100)}`];
  }
  return check(value);
}
