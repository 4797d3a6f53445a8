/** Places of values in a JSON text, found in one pass that builds no tree. */

import { type JSONVisitor, visit } from "jsonc-parser";
import { type Position, pointerOf, segmentsOf, type TextFault } from "./source.ts";

/** The wanted pointers as a tree of their segments. */
interface Wanted {
  readonly children: Map<string, Wanted>;
  position: Position | undefined;
}

interface Frame {
  readonly wanted: Wanted | undefined;
  readonly isArray: boolean;
  index: number;
  key: string;
}

function wantedTree(pointers: readonly string[]): Wanted {
  const root: Wanted = { children: new Map(), position: undefined };
  for (const pointer of pointers) {
    let node = root;
    for (const segment of segmentsOf(pointer)) {
      let child = node.children.get(segment);
      if (child === undefined) {
        child = { children: new Map(), position: undefined };
        node.children.set(segment, child);
      }
      node = child;
    }
  }
  return root;
}

function positionsVisitor(root: Wanted): JSONVisitor {
  const frames: Frame[] = [];
  const enter = (line: number, character: number): Wanted | undefined => {
    const frame = frames.at(-1);
    const wanted =
      frame === undefined
        ? root
        : frame.wanted?.children.get(frame.isArray ? String(frame.index) : frame.key);
    if (wanted !== undefined) wanted.position ??= { line: line + 1, column: character + 1 };
    return wanted;
  };
  const begin = (isArray: boolean) => (_offset: number, _length: number, line: number, character: number) => {
    const wanted = enter(line, character);
    frames.push({ wanted, isArray, index: 0, key: "" });
    return wanted !== undefined && wanted.children.size > 0;
  };
  return {
    onObjectBegin: begin(false),
    onArrayBegin: begin(true),
    onObjectEnd: () => void frames.pop(),
    onArrayEnd: () => void frames.pop(),
    onObjectProperty: (name) => {
      const frame = frames.at(-1);
      if (frame !== undefined) frame.key = name;
    },
    onSeparator: (character) => {
      const frame = frames.at(-1);
      if (character === "," && frame !== undefined) frame.index++;
    },
    onLiteralValue: (_value, _offset, _length, line, character) => void enter(line, character),
  };
}

/** Runs a visitor; a text nested too deeply for it ends the visit, and what was found until then counts. */
function visitSafely(text: string, visitor: JSONVisitor): void {
  try {
    visit(text, visitor, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** Places of the values that `pointers` name in a valid JSON text; of what is missing, the closest value around. */
export function locateInJson(text: string, pointers: readonly string[]): ReadonlyMap<string, Position> {
  const root = wantedTree(pointers);
  visitSafely(text, positionsVisitor(root));
  const found = new Map<string, Position>();
  for (const pointer of pointers) {
    let node: Wanted | undefined = root;
    let position = root.position;
    for (const segment of segmentsOf(pointer)) {
      node = node?.children.get(segment);
      position = node?.position ?? position;
    }
    if (position !== undefined) found.set(pointer, position);
  }
  return found;
}

/** Every member of an object in a valid JSON text whose name the object already has. */
export function duplicateMembers(text: string): readonly TextFault[] {
  const faults: TextFault[] = [];
  const scopes: Set<string>[] = [];
  visitSafely(text, {
    onObjectBegin: () => void scopes.push(new Set()),
    onObjectEnd: () => void scopes.pop(),
    onObjectProperty: (name, _offset, _length, line, character, path) => {
      const scope = scopes.at(-1);
      if (scope?.has(name)) {
        faults.push({
          pointer: pointerOf([...path(), name]),
          message: "the same field is written twice",
          position: { line: line + 1, column: character + 1 },
          isRepeated: true,
        });
      }
      scope?.add(name);
    },
  });
  return faults;
}

/** The first place where a text is not JSON, or undefined when this reader sees none. */
export function firstSyntaxFault(text: string): Position | undefined {
  let first: Position | undefined;
  visitSafely(text, {
    onError: (_error, _offset, _length, line, character) => {
      first ??= { line: line + 1, column: character + 1 };
    },
  });
  return first;
}
