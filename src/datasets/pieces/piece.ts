/** Data sets as they are read: a piece at a time. */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import type { Position } from "@svc-authorizer/policy/source-files/source.ts";

/** The lists of a data set. */
export const SECTIONS = ["users", "groups", "policies", "resource_types", "resources"] as const;

/** The name of a list of a data set. */
export type Section = (typeof SECTIONS)[number];

/** True for the name of a list of a data set. */
export function isSection(name: string): name is Section {
  return (SECTIONS as readonly string[]).includes(name);
}

/** Entries of one section that follow each other. Members of policies have the names under which they are stored. */
export interface Piece {
  readonly section: Section;
  /** Index of the first entry in its section. */
  readonly start: number;
  readonly entries: readonly unknown[];
  /** The entries as they stand in the file, or what else tells them from others; undefined for those of a program. */
  readonly text?: string;
  /** Number of the entries, where {@link Reading.isPassed} says that nobody needs them. */
  readonly passed?: number;
}

/** Known things of the pieces that are about to be read. */
export interface Reading {
  /** True for a piece whose entries are known to be valid in form, so that its text is only parsed. Default: for none. */
  readonly isValid?: ((piece: Pick<Piece, "section" | "text">) => boolean) | undefined;
  /** True for the number of a piece whose entries nobody needs: it may come without them. Default: for none. */
  readonly isPassed?: (number: number) => boolean;
}

/** The end of a data set that was read: with its other members (lists are empty there), or with what keeps it from being read. */
export type Ending = { readonly head: unknown } | { readonly problems: readonly Problem[] };

/** A data set that can be read several times. */
export interface PieceSource {
  /** The path as given or found, for messages. */
  readonly file: string;
  /** Reads from the beginning; returns after the last piece. What was read before a fault may be only a part of it. */
  pieces(reading?: Reading): AsyncGenerator<Piece, Ending>;
  /** As `locate` of a {@link DocumentSource}; costs another reading. */
  locate(pointers: readonly string[]): Promise<ReadonlyMap<string, Position>>;
  /** Digest of the bytes of the last whole reading; undefined before it. */
  readonly digest: string | undefined;
}

/** Bounds of a piece. */
export interface PieceSize {
  /** Characters of the file, about. */
  readonly chars: number;
  readonly entries: number;
}

/** A piece is long enough for the parser to be fast, and short enough for others not to wait. */
export const PIECE_SIZE: PieceSize = { chars: 64 * 1024, entries: 500 };

/** One of so many entries may end a piece before it is full. */
const ONE_IN = 64;
/** Characters of an entry that decide about it. */
const LOOKED_AT = 256;

/**
 * True if a piece of a file ends behind an entry. Beyond half of its size the entry itself decides, so that a line more or less
 * changes the pieces around it and not all behind it.
 */
export function endsPiece(
  of: { readonly chars: number; readonly entries: number },
  size: PieceSize,
  unitAt: (index: number) => number,
  length: number,
): boolean {
  if (of.entries >= size.entries || of.chars >= size.chars) return true;
  if (of.entries < size.entries / 2 && of.chars < size.chars / 2) return false;
  let hash = 0;
  for (let index = Math.min(length, LOOKED_AT) - 1; index >= 0; index--)
    hash = (Math.imul(hash, 31) + unitAt(index)) | 0;
  // The lowest bits depend on the last characters alone.
  return ((hash ^ (hash >>> 15)) & (ONE_IN - 1)) === 0;
}

/** Longest value that is read as one, in characters. */
export const MAX_VALUE_CHARS = 16 * 1024 * 1024;
