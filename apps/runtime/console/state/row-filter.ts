import type { RowNode } from "./row-key.ts";

export type FilterKind = "stopped" | "changed" | "asked" | "children" | "failed";

/** Which rows are shown. */
export interface Filter {
  /** False where every row is. */
  readonly isOn: boolean;
  /** As it was typed. */
  readonly text: string;
  readonly kinds: ReadonlySet<FilterKind>;
  /** Whether a row is shown for its own sake. */
  readonly admits: (node: RowNode) => boolean;
}

/** Shows every row. */
export const everyRow: Filter = { isOn: false, text: "", kinds: new Set(), admits: () => true };
