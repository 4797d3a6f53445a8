/** Documents with policies, whose members may be written in any letter case (spec/evaluation §11). */

import { canonicalDocument } from "../model/policy-members.ts";
import { type DocumentSource, pointerOf, segmentsOf } from "./source.ts";

/** The document with the names of members as they are stored. Places are those of what is written. */
export function canonicalSource(source: DocumentSource): DocumentSource {
  const value = canonicalDocument(source.value);
  if (value === source.value) return source;
  return {
    file: source.file,
    value,
    locate: (pointers) => {
      const written = pointers.map((pointer) => writtenPointer(source.value, pointer));
      const places = source.locate(written);
      return new Map(
        pointers.flatMap((pointer, index) => {
          const place = places.get(written[index] as string);
          return place === undefined ? [] : [[pointer, place] as const];
        }),
      );
    },
  };
}

/** A pointer whose steps have the letters of the document, as far as it has them. */
function writtenPointer(document: unknown, pointer: string): string {
  let value = document;
  const written = segmentsOf(pointer).map((segment) => {
    if (typeof value !== "object" || value === null) return segment;
    const members = value as Readonly<Record<string, unknown>>;
    const name = Object.hasOwn(members, segment)
      ? segment
      : (Object.keys(members).find((one) => one.toLowerCase() === segment) ?? segment);
    value = members[name];
    return name;
  });
  return pointerOf(written);
}
