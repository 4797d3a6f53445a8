/** Completion within policies: actions, resource types, effects, condition operators and the names of members. */

import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { ACTIONS, OPERATORS, RESOURCE_TYPES } from "../../catalog/catalog.gen.ts";

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>;

const MEMBERS: readonly Completion[] = [
  { label: "effect", detail: "allow or deny" },
  { label: "action", detail: "list of actions" },
  { label: "resource", detail: "an ARN with wildcards" },
  { label: "condition", detail: "operator, field, values" },
  { label: "sid", detail: "name of the statement" },
];
const EFFECTS: readonly Completion[] = [{ label: "allow" }, { label: "deny" }];
const CONDITION_OPERATORS: readonly Completion[] = OPERATORS.map((label) => ({ label }));

/** Returns the source of completions, with ARNs of a partition. */
export function policyCompletion(partition: string): CompletionSource {
  const services = [...new Set(ACTIONS.map(({ name }) => name.split(":")[0] as string))];
  const actions: Completion[] = [
    { label: "*", detail: "every action" },
    ...services.map((service) => ({ label: `${service}:*`, detail: `every action of ${service}` })),
    ...ACTIONS.map(({ name, meaning }) => ({ label: name, detail: meaning })),
  ];
  const resources: Completion[] = [
    { label: "*", detail: "everything" },
    ...RESOURCE_TYPES.map(({ arn, meaning }) => ({
      label: arn.replace(/^arn:svc:/, `arn:${partition}:`).replace(/\{\w+\}/g, "*"),
      detail: meaning,
    })),
  ];
  const byMember = new Map<string, readonly Completion[]>([
    ["action", actions],
    ["resource", resources],
    ["effect", EFFECTS],
  ]);
  return (context) => complete(context, byMember);
}

function complete(
  { state, pos }: CompletionContext,
  byMember: ReadonlyMap<string, readonly Completion[]>,
): CompletionResult | null {
  const node = syntaxTree(state).resolveInner(pos, -1);
  const isName = node.name === "PropertyName";
  if ((node.name !== "String" && !isName) || pos <= node.from) return null;
  const members = membersAbove(state, node, isName);
  const options = isName ? namesWithin(members) : byMember.get(members[0] ?? "");
  if (options === undefined) return null;
  return { from: node.from + 1, to: endOf(state, node), options, validFor: /^[\w:*?./${}-]*$/ };
}

/** Names of the members that a place is in, the innermost first. */
function membersAbove(state: EditorState, node: SyntaxNode, isName: boolean): readonly string[] {
  const names: string[] = [];
  let above = isName ? node.parent?.parent : node.parent;
  for (; above; above = above.parent) {
    if (above.name !== "Property") continue;
    const name = above.getChild("PropertyName");
    if (name !== null) names.push(state.sliceDoc(name.from + 1, name.to - 1));
  }
  return names;
}

/** Completions of the name of a member of the object in this place. */
function namesWithin([innermost]: readonly string[]): readonly Completion[] | undefined {
  if (innermost === "condition") return CONDITION_OPERATORS;
  return innermost === "statement" || innermost === undefined ? MEMBERS : undefined;
}

/** The end of a text, without its quotation mark. */
function endOf(state: EditorState, node: SyntaxNode): number {
  const isClosed = node.to - node.from > 1 && state.sliceDoc(node.to - 1, node.to) === '"';
  return isClosed ? node.to - 1 : node.to;
}
