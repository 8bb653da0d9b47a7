import { useEffect, useRef } from "preact/hooks";
import { readLookedFor } from "../stream/read-again.ts";
import type { Source } from "../stream/source.ts";

/** Has what is looked at and not held read again, as long as the same is looked at. */
export function useSecondReading(source: Source, looked: string | undefined): void {
  const { again } = source.recording.store;
  const last = useRef(looked);
  if (last.current !== looked) again.clear();
  last.current = looked;
  useEffect(() => {
    readLookedFor(source).then(
      (hasCome) => hasCome && source.tell(),
      // A host that is gone is told by its stream; what is looked for is asked for when it is back.
      () => undefined,
    );
  });
}
