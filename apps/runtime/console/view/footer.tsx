import type { ComponentChildren, JSX } from "preact";
import type { EventStore } from "../state/event-store.ts";
import { filterKinds, filterOf, type Filter, type FilterKind } from "../state/filter.ts";
import type { Tally } from "../state/model.ts";
import { counted } from "../state/units.ts";
import { Line } from "./text.tsx";

const words: Readonly<Record<FilterKind, string>> = {
  stopped: "denied",
  changed: "changed",
  asked: "asked about",
  children: "children and forks",
  failed: "failed",
};

/** What the footer shows and tells. */
export interface FooterProps extends ProblemsProps {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  /** What is loaded later. */
  readonly children: ComponentChildren;
}

/** What is shown of the log: by text, by kind, up to a moment; and the command for what is looked at. */
export function Footer(props: FooterProps): JSX.Element {
  const { filter, onFilter, children } = props;
  const { text, kinds } = filter;
  const toggle = (kind: FilterKind): void => {
    const next = new Set(kinds);
    if (!next.delete(kind)) next.add(kind);
    onFilter(filterOf(text, next));
  };
  return (
    <footer class="bottom">
      <input
        id="filter"
        type="search"
        value={text}
        placeholder="Filter  /"
        aria-label="Filter rows by text"
        onInput={({ currentTarget }) => onFilter(filterOf(currentTarget.value, kinds))}
      />
      <span class="kinds" role="group" aria-label="Only rows of these kinds">
        {filterKinds.map((kind) => (
          <button
            key={kind}
            type="button"
            class="chip"
            aria-pressed={kinds.has(kind)}
            onClick={() => toggle(kind)}
          >
            {words[kind]}
          </button>
        ))}
      </span>
      {children}
      <Problems {...props} />
    </footer>
  );
}

interface ProblemsProps {
  readonly tally: Tally;
  /** How many events the numbers of what was read leave out. */
  readonly missing: number;
  readonly store: EventStore;
}

/** What of the log could not be read or is not held. */
function Problems({ tally, missing, store: { dropped } }: ProblemsProps): JSX.Element | null {
  const { unknown, broken, problem } = tally;
  const strange = [...unknown.values()].reduce((sum, count) => sum + count, 0);
  const types = [...unknown.keys()].slice(0, 3).join(", ");
  const parts = [
    broken > 0 && `${counted(broken, "line")} could not be read (the first ${problem ?? "is no event"})`,
    strange > 0 && `${counted(strange, "event")} of types that this page does not know (${types})`,
    missing > 0 && `${counted(missing, "event")} missing`,
    dropped > 0 && `${counted(dropped, "old event")} made room`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return null;
  return (
    <span class="problems" role="status">
      <Line text={parts.join("; ")} />
    </span>
  );
}
