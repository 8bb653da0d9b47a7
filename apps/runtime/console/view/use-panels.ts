import { useEffect, useState } from "preact/hooks";

export type Panels = typeof import("./panels.ts");

/** The parts of the page that are loaded behind its first paint, or why they are not there. */
export interface PanelsState {
  readonly loaded?: Panels;
  readonly problem?: string;
}

/** Loads them as soon as the page stands, whether they are asked for or not: later its host may be gone. */
export function usePanels(): PanelsState {
  const [state, setState] = useState<PanelsState>({});
  useEffect(() => {
    import("./panels.ts").then(
      (loaded) => setState({ loaded }),
      (error: Error) => setState({ problem: error.message }),
    );
  }, []);
  return state;
}
