/** Records of the searches of AuthZEN in the decision log. */

import type { Assertion } from "@svc-authorizer/policy/model/decision.ts";
import { addressOf } from "../../../decisions/check/evaluation-fields.ts";
import type { Decisions } from "../../../decisions/decisions.ts";
import type {
  ActionSearch,
  FoundEntity,
  ResourceSearch,
  SubjectSearch,
} from "../../../decisions/searches.ts";
import type { ServiceCall } from "../../service-caller.ts";
import { recordSearch } from "./search-record.ts";

/** Records a search for subjects. */
export function recordSubjects(decisions: Decisions) {
  return (
    { subject, action, resource, context }: SubjectSearch,
    results: readonly FoundEntity[],
    call: ServiceCall,
  ) => {
    const subjectType = subject.type;
    const verb = decisions.actionName(resource.type, action.name) ?? action.name;
    const arn = decisions.resourceArn(resource.type, resource.id) ?? resource.id;
    const { type, id } = resource;
    const found = results.map((one) => ({
      user: one.id,
      subjectType,
      action: verb,
      resource: arn,
      asked: { type, id },
    }));
    return recordSearch(
      decisions,
      call,
      "search",
      { subjectType, action: verb, context: addressOf(context) },
      found,
    );
  };
}

/** Records a search for resources. */
export function recordResources(decisions: Decisions) {
  return (
    { subject, action, resource, context }: ResourceSearch,
    results: readonly FoundEntity[],
    call: ServiceCall,
    asserted: Assertion | undefined,
  ) => {
    const asked = {
      user: subject.id,
      subjectType: subject.type,
      action: decisions.actionName(resource.type, action.name) ?? action.name,
    };
    const found = results.map(({ type, id }) => ({
      ...asked,
      resource: decisions.resourceArn(type, id) ?? id,
      asked: { type, id },
    }));
    return recordSearch(
      decisions,
      call,
      "search",
      { ...asked, asserted, context: addressOf(context) },
      found,
    );
  };
}

/** Records a search for actions. */
export function recordActions(decisions: Decisions) {
  return (
    { subject, resource, context }: ActionSearch,
    results: readonly { readonly name: string }[],
    call: ServiceCall,
    asserted: Assertion | undefined,
  ) => {
    const { type, id } = resource;
    const arn = decisions.resourceArn(type, id) ?? id;
    const asked = { user: subject.id, subjectType: subject.type };
    const found = results.map(({ name }) => ({
      ...asked,
      action: decisions.actionName(type, name) ?? name,
      resource: arn,
      asked: { type, id },
    }));
    return recordSearch(
      decisions,
      call,
      "search",
      { ...asked, asserted, context: addressOf(context) },
      found,
    );
  };
}
