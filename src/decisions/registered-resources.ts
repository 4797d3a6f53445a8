/**
 * Registered attributes of resources, by type and id or by ARN. They apply however a request names the resource: naming
 * it by ARN does not bypass them (spec/security §3.4).
 */

import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import { ARN_TYPE } from "@svc-authorizer/policy/model/names.ts";
import type { Directory, Survey } from "../directory/directory.ts";
import type { ResourceTypes } from "./resource-types.ts";

/** A resource as a request names it. `arn` is a type whose ids are ARNs. */
interface NamedResource {
  readonly type: string;
  readonly id: string;
}

/** Finds them. */
export class RegisteredResources {
  readonly #directory: Directory;
  readonly #types: ResourceTypes;

  constructor(directory: Directory, types: ResourceTypes) {
    this.#directory = directory;
    this.#types = types;
  }

  /**
   * The attributes of the resource with this ARN, or undefined if it is not registered. If several types produce the
   * ARN, it is the resource of the type in the request, else of the type with the most specific template. Rejects with
   * "unavailable" when the store does not work.
   */
  async propertiesOf(arn: string, named?: NamedResource): Promise<Properties | undefined> {
    await this.#types.refreshed();
    const found = await this.#directory.resources.firstOf(this.#namesOf(arn, named));
    return found && (found.properties ?? {});
  }

  /** As {@link propertiesOf}, in one state of the directory. */
  async propertiesIn(
    survey: Pick<Survey, "firstResource">,
    arn: string,
    named?: NamedResource,
  ): Promise<Properties | undefined> {
    await this.#types.refreshed();
    const found = await survey.firstResource(this.#namesOf(arn, named));
    return found && (found.properties ?? {});
  }

  *#namesOf(arn: string, named: NamedResource | undefined): Generator<NamedResource> {
    if (named !== undefined && named.type !== ARN_TYPE) yield named;
    for (const one of this.#types.resourcesOf(arn)) if (one.type !== named?.type) yield one;
  }
}
