/** The thread of {@link DecisionIndex}: answers one question after the other. */

import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { ThreadMessage } from "../../threads/bounded-thread.ts";
import { auditRows } from "../audit/audit-rows.ts";
import { IndexDatabase } from "./index-database.ts";
import { decisionRows } from "./index-rows.ts";
import type {
  NewRecords,
  PolicyRefusals,
  RecordFilter,
  RecordPage,
  RecordPageRequest,
} from "./record-filter.ts";

/** Questions to the thread. */
export type IndexQuestion =
  | { readonly kind: "page"; readonly filter: RecordFilter; readonly page: RecordPageRequest }
  | { readonly kind: "get"; readonly id: string }
  | { readonly kind: "refusals" }
  | { readonly kind: "since"; readonly filter: RecordFilter; readonly place: number | undefined };

/** Answers of the thread. */
export type IndexAnswer =
  | RecordPage
  | { readonly record: string | undefined }
  | NewRecords
  | readonly PolicyRefusals[];

/** The result of a question, or the text of an error. */
export type IndexResult = { readonly answer: IndexAnswer } | { readonly error: string };

/** The folder of chains whose index the thread keeps. */
export interface IndexedChains {
  readonly directory: string;
  readonly node: string;
  /** Number of the process. */
  readonly worker: number;
  /** The kind of the records. */
  readonly records: "decisions" | "audit";
}

const { directory, node, worker, records } = workerData as IndexedChains;
const rowsOf = records === "audit" ? auditRows : decisionRows;
let database: IndexDatabase | undefined;

parentPort?.on("message", async (question: IndexQuestion) => {
  try {
    send({ answer: await answerTo(question) });
  } catch (error) {
    send({ error: messageOf(error) });
  }
});

async function answerTo(question: IndexQuestion): Promise<IndexAnswer> {
  database ??= new IndexDatabase(directory, node, worker, rowsOf as typeof decisionRows);
  const chains = await database.catchUp();
  if (question.kind === "get") return { record: database.get(question.id) };
  if (question.kind === "refusals") return database.refusals();
  if (question.kind === "page") return { ...database.page(question.filter, question.page), chains };
  const { filter, place } = question;
  return place === undefined
    ? { records: [], place: database.place(), more: false }
    : database.since(filter, place);
}

function send(result: IndexResult): void {
  parentPort?.postMessage({ result } satisfies ThreadMessage<IndexResult>);
}
