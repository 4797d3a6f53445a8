/**
 * Registered attributes of the directory, combined with those of a request (spec/decision-api §2.7; spec/security §3.4).
 */

import { addProperties } from "./condition-fields.ts";
import type { ConditionFields, FieldValue } from "./decision.ts";
import type { Properties } from "./entities.ts";

/** The precedence of attributes that both the directory and the request have (`authorizer.request_properties`). */
export type RequestProperties = "fill" | "override";

/** Attributes of the directory. */
export interface RegisteredProperties {
  readonly subject?: Properties;
  readonly resource?: Properties | undefined;
}

/**
 * The names of registered attributes. A value in a request for one of them, or for any path below it, is ignored in
 * every spelling: `{"a.b": 1}` does not replace a registered `{"a": …}`.
 */
class Names {
  readonly #names = new Set<string>();
  readonly #lengths = new Set<number>();

  constructor(prefix: string, properties: Properties) {
    for (const [name, value] of Object.entries(properties)) {
      if (value === null) continue;
      this.#names.add(prefix + name);
      this.#lengths.add(prefix.length + name.length);
    }
  }

  /** True for the name of a registered attribute and for every path below one. */
  readonly cover = (field: string): boolean => {
    for (const length of this.#lengths) {
      const ends = field.length === length || field[length] === ".";
      if (ends && this.#names.has(field.slice(0, length))) return true;
    }
    return false;
  };
}

const NOTHING = (): boolean => false;

/** One set of fields over another, without copying: a request may have very many. */
class Layered implements ConditionFields {
  readonly #over: ConditionFields;
  readonly #under: ConditionFields;
  readonly #hides: (field: string) => boolean;

  /** @param hides the ignored fields of `under`: they are missing unless `over` has them */
  constructor(over: ConditionFields, under: ConditionFields, hides: (field: string) => boolean) {
    this.#over = over;
    this.#under = under;
    this.#hides = hides;
  }

  get(field: string): FieldValue | undefined {
    return this.#over.get(field) ?? (this.#hides(field) ? undefined : this.#under.get(field));
  }

  has(field: string): boolean {
    return this.#over.has(field) || this.#hides(field) || this.#under.has(field);
  }
}

/** Registered attributes of one entity as condition fields. */
interface Registered {
  readonly fields: ReadonlyMap<string, FieldValue>;
  readonly names: Names;
}

/** A cache of the fields of users: while a user is cached, requests use the same object. */
const OF_USERS = new WeakMap<Properties, Registered>();

function read(prefix: string, properties: Properties): Registered {
  const fields = new Map<string, FieldValue>();
  addProperties(fields, prefix, properties);
  return { fields, names: new Names(prefix, properties) };
}

function ofUser(properties: Properties): Registered {
  let registered = OF_USERS.get(properties);
  if (registered === undefined) {
    registered = read("subject.", properties);
    OF_USERS.set(properties, registered);
  }
  return registered;
}

function layered(
  given: ConditionFields,
  { fields, names }: Registered,
  requestProperties: RequestProperties,
): ConditionFields {
  if (fields.size === 0) return given;
  return requestProperties === "fill"
    ? new Layered(fields, given, names.cover)
    : new Layered(given, fields, NOTHING);
}

/**
 * The fields of a request combined with registered attributes, which win by default. Time does not grow with the
 * request.
 */
export function withRegistered(
  given: ConditionFields,
  { subject, resource }: RegisteredProperties,
  requestProperties: RequestProperties,
): ConditionFields {
  const own = subject === undefined ? given : layered(given, ofUser(subject), requestProperties);
  return resource === undefined ? own : layered(own, read("resource.", resource), requestProperties);
}

/**
 * The fields of a request that are valid for every resource: if registered attributes win, `resource.X` of the request
 * are not.
 */
export function fieldsOfAnyResource(
  given: ConditionFields,
  requestProperties: RequestProperties,
): ConditionFields {
  if (requestProperties === "override") return given;
  const ofResource = (field: string): boolean => field.startsWith("resource.");
  return {
    get: (field) => (ofResource(field) ? undefined : given.get(field)),
    has: (field) => !ofResource(field) && given.has(field),
  };
}
