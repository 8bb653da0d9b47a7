import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TimeScale } from "../state/time-scale.ts";
import type { Row } from "../state/tree-rows.ts";
import { duration } from "../state/units.ts";
import { rowIndex } from "./choice.ts";
import type { Panels } from "./use-panels.ts";
import { amountOf, ROW_HEIGHT, TreeRow } from "./tree-row.tsx";

/** Rows that are drawn beyond what is seen, so that scrolling does not show gaps. */
const MARGIN_ROWS = 12;

/** What the tree shows and tells. */
export interface RunTreeProps {
  readonly rows: readonly Row[];
  readonly chosen: string | undefined;
  readonly scale: TimeScale;
  readonly now: number;
  readonly onChoose: (key: string) => void;
  readonly onMove: (key: string) => void;
  readonly onToggle: (key: string) => void;
  readonly moveInTree: Panels["moveInTree"] | undefined;
}

/** What is seen of the rows, in pixels. */
interface View {
  readonly top: number;
  readonly height: number;
}

/** Runs, rounds, calls and children by time. Only the rows that are seen are drawn. */
export function RunTree(props: RunTreeProps): JSX.Element {
  const { rows, chosen, scale, now, onChoose, onMove, onToggle, moveInTree } = props;
  const grid = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>({ top: 0, height: 800 });
  const at = rowIndex(rows, chosen);
  const hasTokens = useMemo(() => rows.some(({ node }) => amountOf(node) !== ""), [rows]);
  const look = (): void => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = grid.current ?? {};
    setView((last) => (last.top === top && last.height === height ? last : { top, height }));
  };
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(grid.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => bringIntoView(grid.current!, at), [chosen, at === -1]);
  const drawn = drawnRows(view, rows.length, at);
  const press = (event: KeyboardEvent): void => {
    const move = moveInTree?.(rows, at, event);
    if (move === undefined) return;
    event.preventDefault();
    if (move.toggle !== undefined) onToggle(move.toggle);
    if (move.choose !== undefined) onMove(move.choose);
    if (move.open !== undefined) onChoose(move.open);
  };
  return (
    <section class={hasTokens ? "tree" : "tree without-tokens"} aria-label="Runs">
      <Ruler scale={scale} />
      <div
        ref={grid}
        class="grid"
        role="treegrid"
        aria-label="Runs, rounds of the model, calls and children"
        aria-rowcount={rows.length}
        aria-activedescendant={at === -1 ? undefined : `row-${at}`}
        tabIndex={0}
        onScroll={look}
        onKeyDown={press}
      >
        <div class="rows" role="presentation" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
          {drawn.map((index) => (
            <TreeRow
              key={rows[index]!.key}
              row={rows[index]!}
              index={index}
              isChosen={index === at}
              scale={scale}
              now={now}
              onChoose={onChoose}
              onToggle={onToggle}
            />
          ))}
        </div>
        {rows.length === 0 && <p class="state">Nothing here fits the filter.</p>}
      </div>
    </section>
  );
}

/** The places of the rows that are drawn; the chosen one, on which keys stand, wherever the grid was scrolled to. */
function drawnRows({ top, height }: View, count: number, chosen: number): readonly number[] {
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN_ROWS);
  const end = Math.min(count, first + Math.ceil(height / ROW_HEIGHT) + 2 * MARGIN_ROWS);
  const drawn = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
  return chosen === -1 || (chosen >= first && chosen < end) ? drawn : [...drawn, chosen];
}

function bringIntoView(grid: HTMLElement, index: number): void {
  if (index === -1) return;
  const top = index * ROW_HEIGHT;
  if (top < grid.scrollTop) grid.scrollTop = top;
  const below = top + ROW_HEIGHT - grid.clientHeight;
  if (below > grid.scrollTop) grid.scrollTop = below;
}

function Ruler({ scale }: { readonly scale: TimeScale }): JSX.Element {
  return (
    <div class="ruler" aria-hidden="true">
      <span class="what">What happened</span>
      <span class="amount">Tokens</span>
      <span class="amount">Time</span>
      <span class="when">
        {scale.ticks.map(({ place, sinceMs }) => (
          <span
            key={place}
            class={sinceMs === undefined ? "tick fold" : "tick"}
            style={{ left: `${place * 100}%` }}
            title={sinceMs === undefined ? "nothing happened for a while" : undefined}
          >
            {tickInWords(sinceMs)}
          </span>
        ))}
      </span>
    </div>
  );
}

function tickInWords(sinceMs: number | undefined): string {
  if (sinceMs === undefined) return "⋯";
  return sinceMs === 0 ? "0" : duration(sinceMs);
}
