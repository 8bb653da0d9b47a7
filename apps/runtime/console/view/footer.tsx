import type { JSX } from "preact";
import { filterKinds, filterOf } from "../state/filter.ts";
import type { Filter, FilterKind } from "../state/row-filter.ts";
import type { Model } from "../state/model.ts";
import { missingIn } from "../state/seen-numbers.ts";
import { counted } from "../state/units.ts";
import type { RowNode } from "../state/row-key.ts";
import type { Source } from "../stream/source.ts";
import { CopyCommand } from "./copy-command.tsx";
import { Scrubber, type ScrubberProps } from "./scrubber.tsx";
import { Line } from "./text.tsx";

const words: Readonly<Record<FilterKind, string>> = {
  stopped: "denied",
  changed: "changed",
  asked: "asked about",
  children: "children and forks",
  failed: "failed",
};

/** What the footer shows and tells. */
export interface FooterProps extends Omit<ScrubberProps, "source"> {
  readonly source: Source;
  readonly node: RowNode | undefined;
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

/** What is shown of the log: by text, by kind, up to a moment; and the command for what is looked at. */
export function Footer(props: FooterProps): JSX.Element {
  const { source, filter, onFilter, shown, at, onScrub, node } = props;
  const { text, kinds } = filter;
  const toggle = (kind: FilterKind): void => {
    const next = new Set(kinds);
    if (!next.delete(kind)) next.add(kind);
    onFilter(filterOf(text, next));
  };
  return (
    <>
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
      <Scrubber source={source} shown={shown} at={at} onScrub={onScrub} />
      <Problems model={source.recording.model} />
      <CopyCommand node={node} />
    </>
  );
}

/** What of the log could not be read or is not held. */
function Problems({ model: { tally, sessions } }: { readonly model: Model }): JSX.Element | null {
  const { unknown, broken, problem } = tally;
  const missing = missingIn(sessions.values());
  const strange = [...unknown.values()].reduce((sum, count) => sum + count, 0);
  const types = [...unknown.keys()].slice(0, 3).join(", ");
  const parts = [
    broken > 0 && `${counted(broken, "line")} could not be read (${problem})`,
    strange > 0 && `${counted(strange, "event")} of types that this page does not know (${types})`,
    missing.count > 0 && `${counted(missing.count, "event")} missing (${missing.where})`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return null;
  return (
    <span class="problems" role="status">
      <Line text={parts.join("; ")} />
    </span>
  );
}
