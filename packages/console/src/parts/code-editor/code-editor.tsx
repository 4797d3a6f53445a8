/** An editor of JSON. CodeMirror is loaded when the first editor is shown. */

import { useEffect, useRef, useState } from "preact/hooks";
import { Alert } from "../states/alert.tsx";
import { Loading } from "../states/loading.tsx";
import type { EditorHandle, Finding } from "./mount-editor.ts";

/** Properties of {@link CodeEditor}. */
interface CodeEditorProps {
  /** Name of the editor, for people who hear it. */
  readonly label: string;
  readonly value: string;
  /** Is called with each change; absent: the text cannot be changed. */
  readonly onInput?: (text: string) => void;
  /** Faults that are marked at their places. */
  readonly findings?: readonly Finding[];
  /** Second part of ARNs, for completion of policies; absent: nothing is completed. */
  readonly partition?: string;
  /** An earlier text; the editor shows what is different from it. */
  readonly original?: string;
}

/**
 * Shows the editor within a shadow root: CodeMirror styles a document by injected elements, which the content policy
 * refuses, and a shadow root by adopted style sheets.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { value, onInput, findings, original } = props;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(onInput);
  latest.current = onInput;
  const handle = useRef<EditorHandle>();
  const [state, setState] = useState<"loading" | "ready" | Error>("loading");
  useEffect(() => {
    let isGone = false;
    import("./mount-editor.ts").then(
      ({ mountEditor }) => {
        if (isGone || host.current === null) return;
        const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
        const isFixed = latest.current === undefined;
        handle.current = mountEditor(root, {
          ...props,
          isFixed,
          onInput: (text) => latest.current?.(text),
        });
        setState("ready");
      },
      (error: Error) => setState(error),
    );
    return () => {
      isGone = true;
      handle.current?.destroy();
    };
  }, []);
  useEffect(() => handle.current?.setText(value), [value, state]);
  useEffect(() => handle.current?.setFindings(findings ?? []), [findings, state]);
  useEffect(() => handle.current?.setOriginal(original), [original, state]);
  return (
    <div class="code-editor">
      {state === "loading" && <Loading what="the editor" />}
      {state instanceof Error && <Alert error={state} />}
      <div ref={host} />
    </div>
  );
}
