/** Resource types map AuthZEN entities to actions and ARNs (spec/decision-api §2.7, spec/decision-api §2.8). */

import type { Properties } from "./entities.ts";

/** A resource type: an ARN template, the shape of its ids, and short action names. */
export interface ResourceType {
  readonly type: string;
  /** ARN with `{placeholder}`s, e.g. `arn:svc:fs:::repository/{repository}/branch/{branch}`. */
  readonly arn: string;
  /** Shape of an id with the same placeholders, e.g. `{repository}/{branch}`. */
  readonly id: string;
  /** Short action name → `service:Verb`. */
  readonly actions: Readonly<Record<string, string>>;
}

/** A registered resource. Resource search can find it, and conditions can read its properties. */
export interface RegisteredResource {
  readonly type: string;
  readonly id: string;
  readonly properties?: Properties;
}
