/**
 * Which operation a request target names (authorization-api.md §1, authorization-api.md §15.1). Routes match exactly,
 * on the raw target: a client's odd names collapse paths, so a trailing or doubled slash must never reach the operation
 * of the parent.
 */

import { BASE_PATH, type Operation } from "./operation.ts";

interface Node<O> {
  readonly literals: Map<string, Node<O>>;
  parameter: Node<O> | undefined;
  readonly operations: Map<string, O>;
}

/** A path that is known, with the operations on it by method. */
export interface PathMatch<O> {
  readonly operations: ReadonlyMap<string, O>;
  readonly params: readonly string[];
}

/**
 * The value of a path segment: clients encode it twice. Undefined where not even the first decoding succeeds. Where
 * the second fails the first is the value: somebody encoded once. A `+` is a plus.
 */
export function decodeSegment(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  const once = decodeOnce(segment);
  return once === undefined || !once.includes("%") ? once : (decodeOnce(once) ?? once);
}

function decodeOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Finds operations by request targets. */
export class PathTable<O extends Pick<Operation, "method" | "path">> {
  readonly #root: Node<O> = emptyNode();

  constructor(operations: readonly O[]) {
    for (const operation of operations) {
      let node = this.#root;
      for (const segment of operation.path.split("/").slice(1)) node = below(node, segment);
      node.operations.set(operation.method, operation);
    }
  }

  /**
   * @param target the raw request target
   * @returns undefined for a path that no operation has
   */
  match(target: string): PathMatch<O> | undefined {
    if (!target.startsWith(`${BASE_PATH}/`)) return undefined;
    const query = target.indexOf("?");
    const path = target.slice(BASE_PATH.length + 1, query < 0 ? undefined : query);
    const params: string[] = [];
    let node: Node<O> | undefined = this.#root;
    for (const segment of path.split("/")) {
      const literal: Node<O> | undefined = node.literals.get(segment);
      if (literal !== undefined) {
        node = literal;
        continue;
      }
      node = node.parameter;
      const value = node === undefined || segment === "" ? undefined : decodeSegment(segment);
      if (node === undefined || value === undefined) return undefined;
      params.push(value);
    }
    return node.operations.size === 0 ? undefined : { operations: node.operations, params };
  }
}

function emptyNode<O>(): Node<O> {
  return { literals: new Map(), parameter: undefined, operations: new Map() };
}

function below<O>(node: Node<O>, segment: string): Node<O> {
  if (segment.startsWith("{")) {
    node.parameter ??= emptyNode();
    return node.parameter;
  }
  const known = node.literals.get(segment) ?? emptyNode<O>();
  node.literals.set(segment, known);
  return known;
}
