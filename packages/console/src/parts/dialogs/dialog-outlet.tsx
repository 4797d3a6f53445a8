/** The place in the document where dialogs stand, wherever in a page they are opened. */

import { type ComponentChildren, createContext, Fragment } from "preact";
import { useContext, useId, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { ErrorBoundary } from "preact-iso";

interface Outlet {
  /** Shows a dialog, or shows it anew. */
  readonly show: (id: string, dialog: ComponentChildren) => void;
  readonly hide: (id: string) => void;
}

const OutletContext = createContext<Outlet | undefined>(undefined);

/**
 * Renders `children`, and the open dialogs behind them. A dialog that a row of a table opens would otherwise inherit how
 * the table lays out its text, and its buttons could lie outside of it.
 */
export function DialogOutlet({ children }: { readonly children: ComponentChildren }) {
  const [dialogs, setDialogs] = useState<ReadonlyMap<string, ComponentChildren>>(new Map());
  const outlet = useMemo<Outlet>(
    () => ({
      show: (id, dialog) => setDialogs((before) => new Map(before).set(id, dialog)),
      hide: (id) =>
        setDialogs((before) => {
          const after = new Map(before);
          after.delete(id);
          return after;
        }),
    }),
    [],
  );
  return (
    <OutletContext.Provider value={outlet}>
      {children}
      {[...dialogs].map(([id, dialog]) => (
        <Fragment key={id}>
          <ErrorBoundary>{dialog}</ErrorBoundary>
        </Fragment>
      ))}
    </OutletContext.Provider>
  );
}

/** Shows `dialog` in the outlet as long as the component that calls this is rendered. */
export function useDialogOutlet(dialog: ComponentChildren): void {
  const outlet = useContext(OutletContext);
  if (outlet === undefined) throw new Error("a dialog needs a DialogOutlet around the page");
  const id = useId();
  useLayoutEffect(() => outlet.show(id, dialog));
  useLayoutEffect(() => () => outlet.hide(id), []);
}
