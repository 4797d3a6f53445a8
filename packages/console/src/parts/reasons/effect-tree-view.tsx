/** The required permissions with the effect of each. */

import type { EffectTree } from "@svc-authorizer/contract/management-api.gen.ts";
import type { ComponentChildren } from "preact";

/** Shows a tree as nested lists. */
export function EffectTreeView({ tree }: { readonly tree: EffectTree }) {
  return (
    <ul class="tree">
      <Node node={tree} />
    </ul>
  );
}

function Node({ node }: { readonly node: EffectTree }) {
  const { effect } = node;
  const mark = effect === undefined ? "not looked at" : effect;
  const shown = <span class={effect === "allow" ? "effect allow" : "effect deny"}>{mark}</span>;
  if ("and" in node) return <Joined head={<>{shown} all of</>} nodes={node.and} />;
  if ("or" in node) return <Joined head={<>{shown} any of</>} nodes={node.or} />;
  if ("any_resource" in node) {
    return (
      <li>
        {shown} <code>{node.any_resource.action}</code> on any resource
      </li>
    );
  }
  return (
    <li>
      {shown} <code>{node.action}</code> on <code>{node.resource}</code>
    </li>
  );
}

function Joined({
  head,
  nodes,
}: {
  readonly head: ComponentChildren;
  readonly nodes: readonly EffectTree[];
}) {
  return (
    <li>
      {head}
      <ul class="tree">
        {nodes.map((node, index) => (
          <Node key={index} node={node} />
        ))}
      </ul>
    </li>
  );
}
