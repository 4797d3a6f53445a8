/** Cuts the text of a JSON object into its members, and lists into runs of elements. Who gets the slices parses them. */

import { isBlank } from "@svc-authorizer/policy/json-text.ts";
import { jsonFaultMessage } from "@svc-authorizer/policy/source-files/json-fault.ts";
import type { Position } from "@svc-authorizer/policy/source-files/source.ts";
import { endsPiece, MAX_VALUE_CHARS, type PieceSize } from "./piece.ts";
import { TextFaultError, type TextWindow } from "./text-window.ts";
import { endInMemory, valueEnd } from "./value-end.ts";

const [QUOTE, COLON, COMMA] = [0x22, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** A part of the text, with its place. */
interface Cut {
  readonly text: string;
  readonly position: Position;
  /** Index of its beginning in the whole text. */
  readonly offset: number;
  /** The text has no more: it cannot be parsed. */
  readonly isCut: boolean;
}

/** The name of a member, as it is written. */
interface MemberName {
  readonly name: string;
  readonly position: Position;
}

/** A part of an object, in the order of the text. */
export type Slice =
  | { readonly kind: "object"; readonly position: Position }
  | { readonly kind: "member"; readonly member: MemberName; readonly value: Position }
  | ({ readonly kind: "value"; readonly member: MemberName } & Cut)
  | ({
      readonly kind: "elements";
      readonly member: MemberName;
      readonly start: number;
      readonly count: number;
    } & Cut);

/** Bounds and choices of {@link slicesOf}. */
export interface SliceOptions {
  readonly size: PieceSize;
  /** True for a member whose list is cut into elements. */
  readonly isCut: (name: string) => boolean;
}

/**
 * Cuts an object. `object` comes first, `member` before the slices of the member's value. Each text is that of one value, or of elements with the
 * commas between them. Throws {@link TextFaultError} where the text between them is not JSON.
 */
export async function* slicesOf(window: TextWindow, options: SliceOptions): AsyncGenerator<Slice> {
  await nextUnit(window);
  const { position } = window;
  await expect(window, OPEN_OBJECT, "");
  yield { kind: "object", position };
  let before = "{";
  for (let isFirst = true; ; isFirst = false) {
    const unit = await nextUnit(window);
    if (unit === CLOSE_OBJECT && isFirst) break;
    if (unit !== QUOTE) throw fault(window, before);
    const member = await readName(window);
    await expect(window, COLON, '"');
    const first = await nextUnit(window);
    yield { kind: "member", member, value: window.position };
    if (first === OPEN_LIST && options.isCut(member.name)) yield* elementsOf(window, member, options.size);
    else yield { kind: "value", member, ...(await readValue(window, ":")) };
    const after = await nextUnit(window);
    before = ",";
    if (after === COMMA) {
      window.skip(1);
      continue;
    }
    if (after !== CLOSE_OBJECT) throw fault(window, "}");
    break;
  }
  window.skip(1);
  if (!Number.isNaN(await nextUnit(window))) throw fault(window, "}");
}

async function readName(window: TextWindow): Promise<MemberName> {
  const { text, position, isCut } = await readValue(window, ",");
  try {
    return { name: JSON.parse(isCut ? "" : text) as string, position };
  } catch {
    throw new TextFaultError(jsonFaultMessage(text, undefined), position);
  }
}

async function readValue(window: TextWindow, before: string): Promise<Cut> {
  const { position, offset } = window;
  const { end, isCut, isTooLong } = await valueEnd(window, 0, MAX_VALUE_CHARS);
  if (end === 0) throw fault(window, before);
  if (isTooLong) throw tooLong(position);
  const text = window.slice(0, end);
  window.skip(end);
  return { text, position, offset, isCut };
}

async function* elementsOf(window: TextWindow, member: MemberName, size: PieceSize): AsyncGenerator<Slice> {
  window.skip(1);
  if ((await nextUnit(window)) === CLOSE_LIST) {
    window.skip(1);
    return;
  }
  for (let start = 0; ; ) {
    const run = await runOf(window, size);
    const { position, offset } = window;
    const text = window.slice(0, run.end);
    window.skip(run.end);
    const { count, isCut } = run;
    if (run.end > 0) yield { kind: "elements", member, start, count, text, position, offset, isCut };
    if (run.isTooLong) throw tooLong(window.position);
    start += count;
    const after = await nextUnit(window);
    if (after === CLOSE_LIST && run.end > 0) break;
    if (after !== COMMA || run.end === 0) throw fault(window, run.end === 0 ? "," : "}");
    window.skip(1);
    await nextUnit(window);
  }
  window.skip(1);
}

/** The elements that begin at the place of a window: where the last one ends, and how many they are. */
async function runOf(window: TextWindow, size: PieceSize) {
  let last = { end: 0, isCut: false, isTooLong: false };
  for (let count = 0, start = 0; ; ) {
    // Most of it is in memory: to wait for each element would cost more than to look at it.
    const { end, isCut, isTooLong } =
      endInMemory(window, start) ?? (await valueEnd(window, start, MAX_VALUE_CHARS));
    if (end === start || isTooLong) return { ...last, isTooLong, count };
    count += 1;
    last = { end, isCut, isTooLong };
    const first = start;
    const unitAt = (index: number): number => window.unitAt(first + index);
    if (isCut || endsPiece({ entries: count, chars: end }, size, unitAt, end - first))
      return { ...last, count };
    const comma = blanksInMemory(window, end) ?? (await skipBlanks(window, end));
    if (window.unitAt(comma) !== COMMA) return { ...last, count };
    start = blanksInMemory(window, comma + 1) ?? (await skipBlanks(window, comma + 1));
  }
}

/** As {@link skipBlanks}; undefined where that is not in memory. */
function blanksInMemory(window: TextWindow, from: number): number | undefined {
  for (let offset = from; ; offset++) {
    const unit = window.unitAt(offset);
    if (!isBlank(unit)) return Number.isNaN(unit) ? undefined : offset;
  }
}

/** The offset of the next unit that is not blank. */
async function skipBlanks(window: TextWindow, from: number): Promise<number> {
  for (let offset = from; ; offset++) {
    const unit = window.unitAt(offset);
    if (isBlank(unit)) continue;
    if (!Number.isNaN(unit) || !(await window.fill())) return offset;
    offset -= 1;
  }
}

/** Moves to the next unit that is not blank, and returns it; NaN at the end of the text. */
async function nextUnit(window: TextWindow): Promise<number> {
  window.skip(await skipBlanks(window, 0));
  return window.unitAt(0);
}

async function expect(window: TextWindow, unit: number, before: string): Promise<void> {
  if ((await nextUnit(window)) !== unit) throw fault(window, before);
  window.skip(1);
}

/** @param before the token before the place */
function fault(window: TextWindow, before: string): TextFaultError {
  const text = `${before}${window.slice(0, 2)}`;
  const message = jsonFaultMessage(text, { line: 1, column: before.length + 1 });
  return new TextFaultError(message, window.position);
}

function tooLong(position: Position): TextFaultError {
  return new TextFaultError("a value of more than 16 MiB is not read: a bracket may be missing", position);
}
