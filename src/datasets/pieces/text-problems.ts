/** Gathers what keeps a text from being read: the gravest kind alone is told, since the others may follow from it. */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { invalidParts } from "@svc-authorizer/policy/source-files/document-value.ts";
import { pointerOf, segmentsOf, type TextFault } from "@svc-authorizer/policy/source-files/source.ts";
import { TextFaultError } from "./text-window.ts";

/** Most problems of a kind. */
const MOST = 200;

/** Thrown after a fault that ends the reading has been noted. */
class ReadingEnded extends Error {}

/** The problems of one reading of a file. */
export class TextProblems {
  readonly #file: string;
  #fault: Problem | undefined;
  readonly #repeated: Problem[] = [];
  readonly #unsound: { readonly pointer: string; readonly message: string }[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Notes faults of a slice, whose pointers are moved by `pointed`. Throws where the text cannot be read on. */
  faults(faults: readonly TextFault[], pointed: (pointer: string) => string): void {
    for (const { pointer, message, position, isRepeated } of faults) {
      const where = pointer === "" ? "" : pointed(pointer);
      const problem = { file: this.#file, pointer: where, message, ...position };
      if (isRepeated !== true) {
        this.#fault = problem;
        throw new ReadingEnded();
      }
      if (this.#repeated.length < MOST) this.#repeated.push(problem);
    }
  }

  /** Notes a repeated member. */
  repeated(problem: Omit<Problem, "file" | "message">): void {
    if (this.#repeated.length < MOST)
      this.#repeated.push({ file: this.#file, ...problem, message: "the same field is written twice" });
  }

  /** Notes what no document may hold; indexes below `section` are moved by `start`. */
  unsound(section: string, value: unknown, start: number): void {
    if (this.#unsound.length === MOST) return;
    for (const { pointer, message } of invalidParts({ [section]: value }, MOST - this.#unsound.length))
      this.#unsound.push({ pointer: start === 0 ? pointer : movedPointer(pointer, start), message });
  }

  /** Notes the error that ended the reading. Throws what is no fault of the text. */
  ended(error: unknown): void {
    if (error instanceof ReadingEnded) return;
    if (!(error instanceof TextFaultError)) throw error;
    this.#fault = { file: this.#file, pointer: "", message: error.message, ...error.position };
  }

  /** The problems; `locate` finds the places of those that have none yet. */
  async list(locate: LocatePieces): Promise<readonly Problem[]> {
    if (this.#fault !== undefined) return [this.#fault];
    if (this.#repeated.length > 0) return this.#repeated;
    if (this.#unsound.length === 0) return [];
    const places = await locate(this.#unsound.map(({ pointer }) => pointer));
    return this.#unsound.map((one) => ({ file: this.#file, ...one, ...places.get(one.pointer) }));
  }
}

type LocatePieces = (
  pointers: readonly string[],
) => Promise<ReadonlyMap<string, { readonly line: number; readonly column: number }>>;

/** The pointer with the index of an entry of its section moved: `/users/3/email` by 500 → `/users/503/email`. */
export function movedPointer(pointer: string, by: number): string {
  const [section = "", index, ...rest] = segmentsOf(pointer);
  if (index === undefined) return pointer;
  return pointerOf([section, Number(index) + by, ...rest]);
}
