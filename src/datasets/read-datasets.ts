/** Reads data sets for the first time: their form, and what they define. */

import type { Schema } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { canonicalSource } from "@svc-authorizer/policy/source-files/canonical-source.ts";
import { invalidParts } from "@svc-authorizer/policy/source-files/document-value.ts";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";
import { segmentsOf } from "@svc-authorizer/policy/source-files/source.ts";
import type { Overflow } from "../compact/overflow.ts";
import { bulkPause } from "../schedule/bulk-pause.ts";
import { entryProblems } from "./check-form.ts";
import { DatasetIndex } from "./dataset-index.ts";
import { openPieces } from "./pieces/open-pieces.ts";
import type { Piece, Reading as PieceReading, PieceSize, PieceSource } from "./pieces/piece.ts";
import { movedPointer } from "./pieces/text-problems.ts";
import { ValuePieces } from "./pieces/value-pieces.ts";
import { MAX_REPORTED_PROBLEMS, ProblemList } from "./problem-list.ts";

/** The data sets to be read. */
interface DatasetInput {
  /** Paths and globs. */
  readonly files: readonly string[];
  /** Data sets of a program. */
  readonly documents: readonly DatasetDocument[];
  readonly schema: Schema;
  readonly size: PieceSize;
  /** Keeps what is long of names. */
  readonly overflow: Overflow;
  /** Told each piece. */
  readonly onPiece: (piece: Piece) => void;
  /** See {@link Reading}. */
  readonly isValid?: PieceReading["isValid"];
  /** Told after each file. */
  readonly onRead: (done: number, total: number) => void;
}

/** Data sets that can be read again. */
export interface ReadDatasets {
  readonly files: readonly string[];
  readonly sources: readonly PieceSource[];
  readonly index: DatasetIndex;
}

/**
 * Reads all data sets and adds their problems. Throws them if one of the data sets cannot be read at all, since names that it
 * defines cannot be told from undefined ones then.
 */
export async function readDatasets(input: DatasetInput, problems: ProblemList): Promise<ReadDatasets> {
  const { files, problems: unselected } = await selectFiles(input.files);
  for (const problem of unselected) problems.addFile(problem);
  const index = new DatasetIndex(input.overflow);
  const sources: PieceSource[] = [];
  let isWhole = unselected.length === 0;
  const read = async (source: PieceSource): Promise<void> => {
    sources.push(source);
    const { schema, onPiece, isValid } = input;
    if (!(await readSource(source, { schema, index, problems, onPiece, isValid }))) isWhole = false;
  };
  for (const [number, file] of files.entries()) {
    const opened = await openPieces(file, input.size);
    if ("problems" in opened) {
      isWhole = false;
      for (const problem of opened.problems) problems.addFile(problem);
    } else await read(opened);
    input.onRead(number + 1, files.length);
  }
  for (const [number, value] of input.documents.entries()) {
    const source = { file: `data set ${number + 1}`, value, locate: () => new Map() };
    for (const { pointer, message } of invalidParts(value, MAX_REPORTED_PROBLEMS, false))
      problems.add(source, pointer, message);
    await read(new ValuePieces(canonicalSource(source), input.size, ""));
  }
  // Names that are given twice are told if all data sets can be read.
  if (!isWhole) await problems.throwIfAny();
  await index.settle(problems);
  return { files, sources, index };
}

interface Reading extends Pick<DatasetInput, "onPiece" | "isValid"> {
  readonly schema: Schema;
  readonly index: DatasetIndex;
  readonly problems: ProblemList;
}

/** Reads one data set; false if it is none. */
async function readSource(
  source: PieceSource,
  { schema, index, problems, onPiece, isValid }: Reading,
): Promise<boolean> {
  const found = new ProblemList();
  index.begin(source);
  const pause = bulkPause();
  const pieces = source.pieces({ isValid });
  for (let next = await pieces.next(); ; next = await pieces.next()) {
    if (next.done === true) {
      const ending = next.value;
      if ("problems" in ending) {
        // Where the text has faults, its content is not told.
        for (const problem of ending.problems) problems.addFile(problem);
        return false;
      }
      problems.addAll(found);
      return addHead(source, ending.head, { schema, index, problems });
    }
    const piece = next.value;
    onPiece(piece);
    const broken = new Set<number>();
    const problemsOfForm =
      isValid?.(piece) === true ? [] : entryProblems(piece.section, piece.entries, schema);
    for (const problem of problemsOfForm) {
      const pointer = movedPointer(problem.pointer, piece.start);
      found.add(source, pointer, problem.message, problem.member);
      broken.add(Number(segmentsOf(pointer)[1]));
    }
    index.add(piece, source, broken);
    await pause();
  }
}

/** Checks the members beside the lists; false if it is no data set of this format. */
function addHead(
  source: PieceSource,
  head: unknown,
  { schema, index, problems }: Omit<Reading, "onPiece" | "isValid">,
): boolean {
  let isFormat = typeof head === "object" && head !== null && "format" in head;
  for (const { pointer, message, member } of schema.problems(head)) {
    problems.add(source, pointer, message, member);
    if (pointer === "/format") isFormat = false;
  }
  if (isFormat && Reflect.get(head as object, "preconfigured") === true) index.preconfigured = true;
  return isFormat;
}
