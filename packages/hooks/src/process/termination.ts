import type { Clock } from "@basis/core";

/** How long a program may take to end after it was asked to, before it is killed. */
export const TERMINATION_GRACE_MS = 500;

/** What ends programs: a polite request, or the end. */
export type EndSignal = "SIGTERM" | "SIGKILL";

/**
 * Asks a program to end and kills it 500 ms later; `onStuck` is called after as long again, for one that the kernel
 * cannot end. The answer calls off whatever is left of it.
 */
export function terminate(
  signal: (signal: EndSignal) => void,
  { clock, onStuck }: { readonly clock: Clock; readonly onStuck: () => void },
): () => void {
  signal("SIGTERM");
  let callOff = clock.alarm(TERMINATION_GRACE_MS, () => {
    signal("SIGKILL");
    callOff = clock.alarm(TERMINATION_GRACE_MS, onStuck);
  });
  return () => callOff();
}
