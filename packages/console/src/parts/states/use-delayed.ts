/** Values that follow typing with a delay. */

import { useEffect, useState } from "preact/hooks";

const DELAY = 180;

/** Returns a value as it was when it last stood still for a moment, so that not every key asks the service. */
export function useDelayed<T>(value: T, delay = DELAY): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return settled;
}
