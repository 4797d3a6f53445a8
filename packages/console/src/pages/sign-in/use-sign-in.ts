/** The state of a form with which somebody signs in. */

import { useState } from "preact/hooks";
import { signIn } from "../../frame/session.tsx";

/** Signs in with what was typed; `onSignedIn` is called after it, `onFailed` where it fails. */
export function useSignIn({
  onSignedIn,
  onFailed,
}: {
  readonly onSignedIn: () => void;
  readonly onFailed?: () => void;
}) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const submit = async (name: string, secret: string): Promise<void> => {
    setPending(true);
    setError(undefined);
    try {
      await signIn(name, secret);
      onSignedIn();
    } catch (failure) {
      setError(failure);
      onFailed?.();
      setPending(false);
    }
  };
  return { error, isPending, submit };
}
