/** Finds the places of values in a data set that is read in pieces. */

import { canonicalSource } from "@svc-authorizer/policy/source-files/canonical-source.ts";
import {
  type Parsed,
  type Position,
  pointerOf,
  segmentsOf,
} from "@svc-authorizer/policy/source-files/source.ts";
import { movedPointer } from "./text-problems.ts";

/** A parsed value, or entries of a section. */
interface Part {
  /** Name of the member of the data set that has it. */
  readonly name: string;
  /** The entries that it has; absent: it is the value of the member. */
  readonly range?: { readonly start: number; readonly count: number };
}

/** The places of values that pointers name; of what is missing, that of the closest value around. */
export class PiecePlaces {
  readonly #pointers: readonly string[];
  readonly #found = new Map<string, Position>();
  #root: Position | undefined;
  readonly #byName: ReadonlyMap<string, readonly string[]>;

  constructor(pointers: readonly string[]) {
    this.#pointers = pointers;
    this.#byName = Map.groupBy(pointers, (pointer) => segmentsOf(pointer)[0] ?? "");
  }

  /** Notes where the data set begins. */
  begins(position: Position): void {
    this.#root = position;
  }

  /** Notes where the value of a member, or an entry, begins. */
  found(pointer: string, position: Position): void {
    const [written = "", ...rest] = segmentsOf(pointer);
    this.#found.set(pointerOf([this.#nameOf(written), ...rest]), position);
  }

  /** The pointers into a part. */
  wanted({ name, range }: Part): readonly string[] {
    const pointers = this.#byName.get(this.#nameOf(name)) ?? [];
    if (range === undefined) return pointers;
    return pointers.filter((pointer) => {
      const index = Number(segmentsOf(pointer)[1] ?? -1);
      return index >= range.start && index < range.start + range.count;
    });
  }

  /** Finds what is wanted in a part; pointers of `parsed` begin within it. */
  look(part: Part, parsed: Extract<Parsed, { readonly value: unknown }>): void {
    const start = part.range?.start ?? 0;
    const prefix = pointerOf([part.name]);
    // Members of policies may be written in other letters than problems name them.
    const document = canonicalSource({
      file: "",
      value: { [part.name]: parsed.value },
      locate: (pointers) => {
        const places = parsed.locate(pointers.map((pointer) => pointer.slice(prefix.length)));
        return new Map([...places].map(([pointer, place]) => [`${prefix}${pointer}`, place]));
      },
    });
    const inPart = new Map(
      this.wanted(part).map((pointer) => {
        const [, ...rest] = segmentsOf(start === 0 ? pointer : movedPointer(pointer, -start));
        return [pointerOf([part.name, ...rest]), pointer] as const;
      }),
    );
    for (const [pointer, place] of document.locate([...inPart.keys()])) {
      const asked = inPart.get(pointer);
      if (asked !== undefined && segmentsOf(pointer).length > 1) this.#found.set(asked, place);
    }
  }

  /** The places that were found. */
  all(): ReadonlyMap<string, Position> {
    const places = new Map<string, Position>();
    for (const pointer of this.#pointers) {
      const segments = segmentsOf(pointer);
      const around = segments.map((_, index) => pointerOf(segments.slice(0, segments.length - index)));
      const place = around.map((one) => this.#found.get(one)).find((one) => one !== undefined) ?? this.#root;
      if (place !== undefined) places.set(pointer, place);
    }
    return places;
  }

  /** The name by which pointers know a member. */
  #nameOf(written: string): string {
    return this.#byName.has(written) ? written : written.toLowerCase();
  }
}
