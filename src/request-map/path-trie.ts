/** Path templates as a tree of segments: the one template that a path fits. */

/** What a path found: what stands at its template, and the segments that fill the parameters, in their order. */
export interface Found<T> {
  readonly at: T;
  readonly segments: readonly string[];
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  parameter?: Node<T>;
  /** What stands where all that is left fills one last parameter. */
  rest?: T;
  here?: T;
}

function newNode<T>(): Node<T> {
  return { literals: new Map() };
}

/** A parameter that takes all segments that are left, as the models of S3 write it: `{key+}`. */
const REST = /^\{[^{}]+\+\}$/;
const PARAMETER = /^\{[^{}]+\}$/;

/** Path templates of one method. */
export class PathTrie<T> {
  readonly #root: Node<T> = newNode();

  /** What stands at a template; made by `create` where there is nothing yet. */
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
   * The template that fits, undefined where none does. Parameters take no empty segment. No path fits two templates
   * (`endpointProblems` of the catalog sees to it), so that the order of looking decides nothing; a node of the tree
   * is looked at once at most, whatever the path.
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
