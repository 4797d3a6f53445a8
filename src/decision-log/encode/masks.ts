/**
 * Replaces values of a record before it is written (`authorizer.decision_log.mask`): a JSON pointer, in which `*` stands
 * for every member, or the name of a condition field. A masked record is made from its parsed form, which costs more.
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { isMask, maskOf } from "@svc-authorizer/policy/records/digests.ts";
import { covers, segments } from "../mask-pointers.ts";

/** Replaces values. */
export class Masks {
  readonly #paths: readonly (readonly string[])[];
  /** Members of the permissions of a tree that are masked. */
  readonly #ofTrees: ReadonlySet<string>;
  readonly #key: Buffer;

  /** @param masks pointers and names */
  constructor(masks: readonly string[], key: Buffer) {
    const paths = masks.flatMap((mask) => (mask.startsWith("/") ? pathsOf(mask) : placesOf(mask)));
    // Each place once: a digest of a digest would no longer be equal to that of another place.
    this.#paths = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
    const pointers = masks.filter((mask) => mask.startsWith("/")).map(segments);
    const isMasked = (place: readonly string[]): boolean => pointers.some((path) => covers(path, place));
    this.#ofTrees = new Set(OF_TREES.flatMap(([member, place]) => (isMasked(place) ? [member] : [])));
    this.#key = key;
  }

  /**
   * Returns the text with its values replaced.
   * @param text a JSON object without its closing brace
   */
  applied(text: string): string {
    const record: unknown = parseJsonText(`${text}}`);
    for (const path of this.#paths) this.#replace(record, path, 0);
    if (this.#ofTrees.size > 0) this.#replaceInTree((record as { readonly required?: unknown }).required);
    return JSON.stringify(record).slice(0, -1);
  }

  #replace(value: unknown, path: readonly string[], depth: number): void {
    if (typeof value !== "object" || value === null) return;
    const members = value as Record<string, unknown>;
    const segment = path[depth] as string;
    const names = segment === "*" ? Object.keys(members) : Object.hasOwn(members, segment) ? [segment] : [];
    for (const name of names) {
      if (depth + 1 < path.length) this.#replace(members[name], path, depth + 1);
      else members[name] = this.#masked(members[name]);
    }
  }

  /** The permissions of a tree, which has no bound of its depth but that of requests. */
  #replaceInTree(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const members = value as Record<string, unknown>;
    for (const [name, member] of Object.entries(members)) {
      if (typeof member === "object") this.#replaceInTree(member);
      else if (this.#ofTrees.has(name) && !isMask(member)) members[name] = this.#masked(member);
    }
  }

  /** An object or a list keeps its form, which the schema of records demands, and each of its texts is masked. */
  #masked(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#masked(one));
    if (typeof value !== "object" || value === null) return maskOf(value, this.#key);
    const isPlain = (one: unknown): boolean =>
      typeof one === "number" || typeof one === "boolean" || one === null;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isPlain(one) ? one : this.#masked(one)]),
    );
  }
}

/** The members of the permissions of a tree, each with its place in a record of one permission. */
const OF_TREES: readonly (readonly [member: string, place: readonly string[]])[] = [
  ["action", ["action"]],
  ["resource", ["resource", "arn"]],
];

/**
 * The places of a pointer: in the record, and in the items of a batch, which have the same members. The name of a
 * subject is also where its policies come from.
 */
function pathsOf(pointer: string): readonly (readonly string[])[] {
  const path = segments(pointer);
  const isOfItems = path[0] === "items";
  const place = isOfItems ? path.slice(2) : path;
  const via = ["determining", "*", "via", "*", "user"];
  const places = covers(place, SUBJECT_ID) && place.length > 0 ? [place, via] : [place];
  const ofItems = places.map((one) => ["items", "*", ...one]);
  return isOfItems ? [path, ...ofItems.slice(1)] : [...places, ...ofItems];
}

const SUBJECT_ID = ["subject", "id"];

/**
 * The places of a condition field in a record. The address of the client is also that of the peer where nothing stands
 * between them.
 */
function placesOf(field: string): readonly (readonly string[])[] {
  const place = field.startsWith("subject.")
    ? ["subject", "properties", field.slice("subject.".length)]
    : ["context", field];
  const places = [place, ["items", "*", ...place]];
  return field === "SourceIp" ? [...places, ["caller", "peer"]] : places;
}
