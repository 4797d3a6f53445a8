/** Definitions of attributes (RFC 7643, section 7), and finding them by names in any letter case. */

/** The definition of an attribute, as the endpoint of schemas shows it. */
export interface Attribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "complex" | "reference";
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: "readOnly" | "readWrite" | "immutable";
  readonly returned: "always" | "default";
  readonly uniqueness: "none" | "server";
  readonly subAttributes?: readonly Attribute[];
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
}

/** A schema. */
export interface ScimSchema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A kind of resource. */
export interface ResourceKind {
  readonly name: "User" | "Group";
  readonly endpoint: "/Users" | "/Groups";
  readonly description: string;
  readonly core: ScimSchema;
  readonly extension?: ScimSchema;
}

/** Makes a definition; by default an optional text that may be changed. */
export function attribute(
  name: string,
  description: string,
  more: Partial<Omit<Attribute, "name" | "description">> = {},
): Attribute {
  return {
    name,
    type: more.subAttributes === undefined ? "string" : "complex",
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...more,
  };
}

/** Attributes of every resource (RFC 7643, section 3.1). */
const COMMON: readonly Attribute[] = [
  attribute("id", "Id of the resource, never used again.", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server",
  }),
  attribute("externalId", "Id of the resource at the identity provider.", { caseExact: true }),
  attribute("meta", "Kind, time and address of the resource.", {
    mutability: "readOnly",
    subAttributes: [
      attribute("resourceType", "Kind of the resource.", { mutability: "readOnly", caseExact: true }),
      attribute("created", "Time at which it was made.", { mutability: "readOnly" }),
      attribute("location", "Address of the resource.", { mutability: "readOnly", caseExact: true }),
    ],
  }),
];

const INDEXES = new WeakMap<readonly Attribute[], ReadonlyMap<string, Attribute>>();

/** Finds an attribute of a list by its name in any letter case. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  let index = INDEXES.get(attributes);
  if (index === undefined) {
    index = new Map(attributes.map((one) => [one.name.toLowerCase(), one]));
    INDEXES.set(attributes, index);
  }
  return index.get(name.toLowerCase());
}

/** The attributes of a kind that stand at the top of a resource; its extension is one of them, named by its URN. */
export function topAttributes(kind: ResourceKind): readonly Attribute[] {
  let all = TOPS.get(kind);
  if (all === undefined) {
    const { core, extension } = kind;
    const extended =
      extension === undefined
        ? []
        : [attribute(extension.id, extension.description, { subAttributes: extension.attributes })];
    all = [...COMMON, ...core.attributes, ...extended];
    TOPS.set(kind, all);
  }
  return all;
}

const TOPS = new WeakMap<ResourceKind, readonly Attribute[]>();
