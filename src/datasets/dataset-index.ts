/** The definitions of all data sets of a load, as far as entries must know of each other. */

import type { DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { Overflow } from "../compact/overflow.ts";
import type { UniqueText } from "../directory/batch.ts";
import { bulkPause } from "../schedule/bulk-pause.ts";
import { DefinedNames, DefinedTexts } from "./defined-names.ts";
import { type Definitions, fieldOf, none, placeOf, resourceKey } from "./merge.ts";
import { type Piece, SECTIONS, type Section } from "./pieces/piece.ts";
import type { ProblemList, ProblemSource } from "./problem-list.ts";
import { UNIQUE_KINDS } from "./unique-texts.ts";

/** The naming of the entries of a section. */
interface Naming {
  readonly what: string;
  readonly field: string;
  readonly nameOf: (entry: never) => string;
}

const NAMINGS: Readonly<Record<Section, Naming>> = {
  users: { what: "user", field: "username", nameOf: ({ username }: { username: string }) => username },
  groups: { what: "group", field: "name", nameOf: ({ name }: { name: string }) => name },
  policies: { what: "policy", field: "name", nameOf: ({ name }: { name: string }) => name },
  resource_types: { what: "resource type", field: "type", nameOf: ({ type }: ResourceType) => type },
  resources: {
    what: "resource",
    field: "id",
    nameOf: (resource: RegisteredResource) => resourceKey(resource),
  },
};

/** The name of an entry that is valid in form. */
function nameIn(section: Section, entry: unknown): string {
  return NAMINGS[section].nameOf(entry as never);
}

/** A valid entry that defines its name. */
export interface DefinedEntry {
  readonly number: number;
  readonly name: string;
  readonly value: unknown;
  readonly pointer: string;
}

/** Built while the data sets are read for the first time, then settled, then asked. */
export class DatasetIndex {
  readonly users: DefinedNames;
  readonly groups: DefinedNames;
  readonly policies: DefinedNames;
  readonly resource_types: DefinedNames;
  readonly resources: DefinedNames;
  /** Whole: policies and resources of every piece depend on them. */
  readonly types: Definitions<ResourceType> = none();
  readonly texts: Readonly<Record<UniqueText, DefinedTexts>>;
  preconfigured = false;
  hasCredentials = false;
  /** Names of the environment variables with secrets. */
  readonly environment = new Set<string>();

  /** @param overflow keeps what is long */
  constructor(overflow: Overflow) {
    this.users = new DefinedNames("users", overflow);
    this.groups = new DefinedNames("groups", overflow);
    this.policies = new DefinedNames("policies", overflow);
    this.resource_types = new DefinedNames("resource_types", overflow);
    this.resources = new DefinedNames("resources", overflow);
    this.texts = {
      access_key: new DefinedTexts(overflow),
      external_principal: new DefinedTexts(overflow),
      external_id: new DefinedTexts(overflow),
    };
  }

  /** Begins with a source. */
  begin(source: ProblemSource): void {
    for (const section of SECTIONS) this[section].numbers.begin(source);
  }

  /** Begins to go through all sources again. */
  restart(): void {
    for (const section of SECTIONS) this[section].numbers.restart();
  }

  /**
   * Notes the entries of a piece.
   * @param broken indexes of those that are invalid in form
   */
  add(piece: Piece, source: ProblemSource, broken: ReadonlySet<number>): void {
    const { section, start, entries } = piece;
    const names = this[section];
    const { field } = NAMINGS[section];
    for (const [index, entry] of entries.entries()) {
      const number = names.numbers.take();
      if (broken.has(start + index)) {
        const name = fieldOf(entry, field);
        names.breakEntry(number, name);
        if (section === "resource_types" && name !== undefined) this.types.brokenNames.add(name);
        continue;
      }
      const name = nameIn(section, entry);
      names.define(name, number);
      if (section === "users") this.#addUser(entry as DatasetUser, number);
      else if (section === "resource_types" && !this.types.entries.has(name)) {
        const pointer = `/${section}/${start + index}`;
        this.types.entries.set(name, { value: entry as ResourceType, source, pointer });
      }
    }
  }

  /** Makes names and texts ready to be found; `problems` gets those that are given more than once. */
  async settle(problems: ProblemList): Promise<void> {
    const pause = bulkPause();
    for (const section of SECTIONS) {
      const { numbers } = this[section];
      const { what, field } = NAMINGS[section];
      const repetitions = await this[section].settle(pause);
      repetitions.addTo(problems, ({ repeated, first }) => {
        const { source, pointer } = numbers.placeOf(repeated.number);
        const place = placeOf(numbers.placeOf(first.number), source);
        return {
          source,
          pointer: `${pointer}/${field}`,
          message: `this ${what} is also defined at ${place}`,
        };
      });
    }
    const { numbers } = this.users;
    for (const { kind, what, at } of UNIQUE_KINDS) {
      const counts = (user: number): boolean => this.users.isDefinition(user);
      const repetitions = await this.texts[kind].settle(counts, pause);
      repetitions.addTo(problems, ({ repeated, first }) => {
        const { source, pointer } = numbers.placeOf(repeated.number);
        const given = numbers.placeOf(first.number);
        const place = placeOf({ ...given, pointer: given.pointer + at(first.index) }, source);
        const message = `this ${what} is already given at ${place}`;
        return { source, pointer: pointer + at(repeated.index), message };
      });
    }
  }

  /** True for the user that a text was first given to. */
  isFirstOwner(kind: UniqueText, text: string, username: string): boolean {
    return this.texts[kind].ownerOf(text) === this.users.numberOf(username);
  }

  /** The entries of a piece that define their names, in a later reading. */
  definitionsIn({ section, start, entries }: Piece): readonly DefinedEntry[] {
    const names = this[section];
    const { field } = NAMINGS[section];
    const found: DefinedEntry[] = [];
    for (const [index, value] of entries.entries()) {
      const number = names.numbers.take();
      if (fieldOf(value, field) === undefined) continue;
      const name = nameIn(section, value);
      if (names.isDefinition(number))
        found.push({ number, name, value, pointer: `/${section}/${start + index}` });
    }
    return found;
  }

  /** Passes a piece in a later reading. */
  pass(section: Section, entries: number): void {
    this[section].numbers.take(entries);
  }

  #addUser(user: DatasetUser, number: number): void {
    for (const { secret_access_key_env: name } of user.credentials ?? []) {
      this.hasCredentials = true;
      if (name !== undefined) this.environment.add(name);
    }
    for (const { kind, of } of UNIQUE_KINDS)
      for (const [index, text] of of(user).entries()) this.texts[kind].give(text, number, index);
  }
}
