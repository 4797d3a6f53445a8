/** A tree of path templates that finds the one template of a path. */

/** The result of a look-up: the value at the template, and the segments of the parameters in their order. */
interface Found<T> {
  readonly at: T;
  readonly segments: readonly string[];
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  parameter?: Node<T>;
  /** The value of a template whose last parameter takes all remaining segments. */
  rest?: T;
  here?: T;
}

function newNode<T>(): Node<T> {
  return { literals: new Map() };
}

/** A parameter that takes all remaining segments, in the notation of the S3 models: `{key+}`. */
const REST = /^\{[^{}]+\+\}$/;
const PARAMETER = /^\{[^{}]+\}$/;

/** Path templates of one method. */
export class PathTrie<T> {
  readonly #root: Node<T> = newNode();

  /** The value at a template; `create` makes it if there is none. */
  at(template: readonly string[], create: () => T): T {
    let node = this.#root;
    for (const segment of template) {
      if (REST.test(segment)) {
        node.rest ??= create();
        return node.rest;
      }
      if (PARAMETER.test(segment)) {
        node.parameter ??= newNode();
        node = node.parameter;
        continue;
      }
      const next: Node<T> = node.literals.get(segment) ?? newNode();
      node.literals.set(segment, next);
      node = next;
    }
    node.here ??= create();
    return node.here;
  }

  /**
   * Finds the matching template, or undefined. Parameters match no empty segment. No path matches two templates (the
   * catalog's `endpointProblems` ensures it), so the order of the search does not matter. The search visits a node of
   * the tree at most once.
   */
  find(segments: readonly string[]): Found<T> | undefined {
    return this.#findBelow(this.#root, segments, 0, []);
  }

  #findBelow(
    node: Node<T>,
    segments: readonly string[],
    index: number,
    taken: readonly string[],
  ): Found<T> | undefined {
    const segment = segments[index];
    if (segment === undefined) {
      return node.here === undefined ? undefined : { at: node.here, segments: taken };
    }
    const literal = node.literals.get(segment);
    const found = literal && this.#findBelow(literal, segments, index + 1, taken);
    if (found !== undefined) return found;
    if (segment !== "" && node.parameter !== undefined) {
      const below = this.#findBelow(node.parameter, segments, index + 1, [...taken, segment]);
      if (below !== undefined) return below;
    }
    const rest = node.rest === undefined ? "" : segments.slice(index).join("/");
    return node.rest === undefined || rest === "" ? undefined : { at: node.rest, segments: [...taken, rest] };
  }
}
