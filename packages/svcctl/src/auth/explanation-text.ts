/** The explanation of a decision for people: what was required, what decided, what nearly allowed. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { statementPlace } from "@svc-authorizer/policy/model/statement-words.ts";
import type { JsonObject } from "../api/api-client.ts";
import { objectsIn, textField } from "../output/fields.ts";
import { branchLines, type TextTree } from "../output/text-tree.ts";
import type { Style } from "../style.ts";

/** Lines of an explanation (spec/decision-api §5). What the server left out is left out. */
export function explanationText(explanation: JsonObject, style: Style): readonly string[] {
  const sections: readonly TextTree[] = [
    {
      text: style.bold("Required"),
      children: objectsIn([explanation["tree"]]).map((node) => required(node, style)),
    },
    {
      text: style.bold("Decided by"),
      children: objectsIn(explanation["determining"]).map((one) => determining(one, style)),
    },
    {
      text: style.bold("Nearly allowed"),
      children: objectsIn(explanation["near_misses"]).map((one) => nearMiss(one, style)),
    },
  ];
  const lines = sections
    .filter((section) => section.children.length > 0)
    .flatMap((section) => [section.text, ...branchLines(section.children)]);
  const id = textField(explanation, "id");
  return id === "" ? lines : [...lines, `Decision ${safeText(id)}`];
}

function required(node: JsonObject, style: Style): TextTree {
  const effect = painted(textField(node, "effect"), style);
  for (const [form, text] of [
    ["and", "all of"],
    ["or", "one of"],
  ] as const) {
    if (Array.isArray(node[form])) {
      return {
        text: `${effect} ${text}`,
        children: objectsIn(node[form]).map((child) => required(child, style)),
      };
    }
  }
  const [any] = objectsIn([node["any_resource"]]);
  const leaf =
    any === undefined
      ? `${field(node, "action")} on ${field(node, "resource")}`
      : `${field(any, "action")} on any resource`;
  return { text: `${effect} ${leaf}`, children: [] };
}

function determining(one: JsonObject, style: Style): TextTree {
  const rule = `${field(one, "action")} on ${field(one, "resource")}`;
  const via = objectsIn(one["via"]).map((way) => {
    const group = field(way, "group");
    return { text: group === "" ? "attached to the user" : `through the group ${group}`, children: [] };
  });
  return {
    text: `${painted(textField(one, "effect"), style)} ${rule} (${placeOf(one)})`,
    children: [...via, ...conditions(one, style)],
  };
}

/** The parts of a condition say more than the words for them, so they take their place. */
function nearMiss(one: JsonObject, style: Style): TextTree {
  const parts = conditions(one, style);
  if (parts.length > 0) return { text: `${placeOf(one)}: the condition is not satisfied`, children: parts };
  return { text: `${placeOf(one)}: ${field(one, "why")} differs: ${field(one, "detail")}`, children: [] };
}

/** `policy Readers, statement 0`, and the statement's sid where it has one. */
function placeOf(one: JsonObject): string {
  const sid = field(one, "sid");
  return `policy ${field(one, "policy")}, ${statementPlace(Number(one["statement"]), sid === "" ? undefined : sid)}`;
}

/** Returns the wanted and the given value of a condition, one line for each operator and field. */
function conditions(one: JsonObject, style: Style): readonly TextTree[] {
  return objectsIn(one["conditions"]).map((test) => {
    const variables = objectsIn(test["variables"]).map((variable) => {
      const name = field(variable, "variable");
      return { text: `${name}: ${values(variable["given"], undefined)}`, children: [] };
    });
    const wanted = values(test["wanted"], test["wanted_total"]);
    const given = values(test["given"], test["given_total"]);
    const result = verdict(textField(test, "result"), style);
    const name = `${field(test, "operator")} ${field(test, "field")}`.trim();
    return { text: `${result} ${name}: wanted ${wanted}, given ${given}`, children: variables };
  });
}

function verdict(result: string, style: Style): string {
  return result === "satisfied" ? style.green(result) : style.yellow(safeText(result));
}

function values(shown: unknown, total: unknown): string {
  if (shown === undefined) return "nothing";
  const list = Array.isArray(shown) ? shown : [shown];
  const more = typeof total === "number" ? ` and ${total - list.length} more` : "";
  return list.length === 0 ? "an empty list" : list.map((one) => safeText(String(one))).join(" | ") + more;
}

function field(object: JsonObject, name: string): string {
  return safeText(textField(object, name));
}

function painted(effect: string, style: Style): string {
  if (effect === "allow") return style.green(effect);
  if (effect === "deny") return style.red(effect);
  return style.yellow(effect === "" ? "not looked at" : safeText(effect));
}
