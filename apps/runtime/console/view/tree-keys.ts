import type { Row } from "../state/tree-rows.ts";

/** What a key does in the tree. */
export interface TreeMove {
  readonly choose?: string;
  readonly toggle?: string;
  /** The row whose details are asked for. */
  readonly open?: string;
}

const PAGE_ROWS = 12;

type Pressed = Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey">;

/** Where keys lead that go up and down; `at` is -1 while no row is chosen. */
const steps = new Map<string, (at: number, last: number) => number>([
  ["ArrowDown", (at) => at + 1],
  ["ArrowUp", (at, last) => (at === -1 ? last : at - 1)],
  ["PageDown", (at) => at + PAGE_ROWS],
  ["PageUp", (at) => at - PAGE_ROWS],
  ["Home", () => 0],
  ["End", (_at, last) => last],
]);

/** The move of a key, as in any tree: undefined for keys that are not its own. */
export function moveInTree(rows: readonly Row[], at: number, pressed: Pressed): TreeMove | undefined {
  const { key, altKey, ctrlKey, metaKey } = pressed;
  if (rows.length === 0 || altKey || ctrlKey || metaKey) return undefined;
  const last = rows.length - 1;
  const step = steps.get(key);
  if (step !== undefined) return { choose: rows[Math.max(0, Math.min(last, step(at, last)))]!.key };
  return rows[at] === undefined ? undefined : moveFrom(rows, at, key);
}

/** What a key does at a chosen row. */
function moveFrom(rows: readonly Row[], at: number, key: string): TreeMove | undefined {
  const row = rows[at]!;
  if (key === "Enter") return { open: row.key };
  if (key === "ArrowRight" && row.open !== undefined)
    return row.open ? { choose: rows[at + 1]!.key } : { toggle: row.key };
  if (key === "ArrowLeft")
    return row.open === true ? { toggle: row.key } : { choose: rows[parentOf(rows, at)]!.key };
  return undefined;
}

function parentOf(rows: readonly Row[], at: number): number {
  for (let index = at - 1; index >= 0; index -= 1) if (rows[index]!.depth < rows[at]!.depth) return index;
  return at;
}
