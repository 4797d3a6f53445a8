/** Catches faults of pages, so that a person sees what happened and not an empty page. */

import { Component, type ComponentChildren } from "preact";
import { Alert } from "../parts/states/alert.tsx";

/** Shows its children, or the fault that one of them had. */
export class Crashed extends Component<{ readonly children: ComponentChildren }, { error?: Error }> {
  override componentDidCatch(error: Error): void {
    this.setState({ error });
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <main class="crashed">
        <h1>This page failed</h1>
        <Alert error={error} />
        <p>
          <button type="button" onClick={() => location.reload()}>
            Load it again
          </button>
        </p>
      </main>
    );
  }
}
