/** Condition fields of an AuthZEN request (spec/decision-api §2.7). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { FIELD_LIMITS } from "@svc-authorizer/policy/model/condition.ts";
import { addProperties, hasMoreFields, sourceIpOf } from "@svc-authorizer/policy/model/condition-fields.ts";
import type { ConditionFields, FieldValue } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";

/** Attributes of the entities of a request; a search lacks some entities. */
interface RequestedProperties {
  readonly subject?: { readonly properties?: Properties };
  readonly action?: { readonly properties?: Properties };
  readonly resource?: { readonly properties?: Properties };
  readonly context?: Properties;
}

/** Name of the attribute of a subject that is a credential: no condition reads it, and no record has it. */
export const TOKEN_PROPERTY = "token";

const SOURCE_IP = "SourceIp";

/** The entities of which attributes become fields. */
type Entity = "context" | "action" | "subject" | "resource";

/** The fields of the attributes of an entity. The elements of a batch show the same attributes again and again. */
const FIELDS: Readonly<Record<Entity, WeakMap<Properties, ReadonlyMap<string, FieldValue>>>> = {
  context: new WeakMap(),
  action: new WeakMap(),
  subject: new WeakMap(),
  resource: new WeakMap(),
};

/** Attributes that are known to be few enough. */
const FEW = new WeakSet<Properties>();

/**
 * The fields of a request alone.
 * @throws AuthorizerError "invalid_request" for more attributes than become fields
 */
export function requestedFields(request: RequestedProperties): ConditionFields {
  const { subject, action, resource, context } = request;
  assertFew(context, "/context");
  assertFew(action?.properties, "/action/properties");
  assertFew(subject?.properties, "/subject/properties");
  assertFew(resource?.properties, "/resource/properties");
  return new RequestedFields(request);
}

/** Fields that are made of the attributes of an entity when one of them is asked for. */
class RequestedFields implements ConditionFields {
  readonly #request: RequestedProperties;
  readonly #sourceIp: string | undefined;

  constructor(request: RequestedProperties) {
    this.#request = request;
    this.#sourceIp = sourceIpOf(request.context);
  }

  get(field: string): FieldValue | undefined {
    if (field === SOURCE_IP) return this.#sourceIp;
    const entity = field.slice(0, Math.max(0, field.indexOf(".")));
    if (entity === "context") return fieldsOf(entity, this.#request.context)?.get(field);
    if (entity !== "subject" && entity !== "action" && entity !== "resource") return undefined;
    return fieldsOf(entity, this.#request[entity]?.properties)?.get(field);
  }

  has(field: string): boolean {
    return this.get(field) !== undefined;
  }
}

/** The address of the client alone, which records have whether a condition reads it or not. */
export function addressOf(context: Properties | undefined): ConditionFields {
  const address = sourceIpOf(context);
  return address === undefined ? NO_FIELDS : new Map([[SOURCE_IP, address]]);
}

const NO_FIELDS: ConditionFields = new Map();

function fieldsOf(
  entity: Entity,
  properties: Properties | undefined,
): ReadonlyMap<string, FieldValue> | undefined {
  if (properties === undefined) return undefined;
  const known = FIELDS[entity].get(properties);
  if (known !== undefined) return known;
  const fields = new Map<string, FieldValue>();
  addProperties(fields, `${entity}.`, entity === "subject" ? withoutToken(properties) : properties);
  FIELDS[entity].set(properties, fields);
  return fields;
}

function assertFew(properties: Properties | undefined, pointer: string): void {
  if (properties === undefined || FEW.has(properties)) return;
  if (hasMoreFields(properties, FIELD_LIMITS.fields)) {
    const message = `has more than ${FIELD_LIMITS.fields} fields`;
    throw new AuthorizerError("invalid_request", "invalid request", { problems: [{ pointer, message }] });
  }
  FEW.add(properties);
}

/** The attributes of a subject without its token. */
export function withoutToken(properties: Properties | undefined): Properties | undefined {
  if (properties === undefined || !Object.hasOwn(properties, TOKEN_PROPERTY)) return properties;
  const { [TOKEN_PROPERTY]: _token, ...others } = properties;
  return others;
}
