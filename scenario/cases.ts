/** The cases of the AuthZEN certification scenario, read from `fixtures/authzen/scenario.yaml`. */

import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** Levels of the scenario in its order. */
export const LEVELS = [
  "Basic Core",
  "Basic Properties",
  "Batch Core",
  "Batch Properties",
  "Search Core",
  "Search Properties",
  "Discovery",
] as const;

/** An entity or action among search results. */
export type Result = Readonly<Record<string, string>>;

/** What a case expects; what is absent is not looked at. */
interface Expected {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly decision?: boolean;
  /** `any`: a boolean. */
  readonly evaluations?: readonly (boolean | "any")[];
  /** Search results that must be among those found. */
  readonly includes?: readonly Result[];
  /** Number of search results. */
  readonly results?: number;
  /** The search results are those of the case with this id. */
  readonly same?: string;
  /** The answer has a page object. */
  readonly page?: true;
  /** The answer is the metadata of the address that was asked. */
  readonly metadata?: true;
}

/** One case. */
export interface Case {
  /** Section of the scenario. */
  readonly id: string;
  readonly level: (typeof LEVELS)[number];
  readonly title: string;
  /** Below `/access/v1/`, or `metadata`. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The body as it is sent, instead of `body`. */
  readonly text?: string;
  /** How often it is sent, default once. */
  readonly repeat?: number;
  /** Follow the page tokens and take the results of all pages together. */
  readonly pages?: true;
  readonly expect: Expected;
}

/** Reads the cases. */
export function readCases(): readonly Case[] {
  const file = new URL("../fixtures/authzen/scenario.yaml", import.meta.url);
  return (parse(readFileSync(file, "utf8")) as { cases: Case[] }).cases;
}
