import type { JSX } from "preact";
import type { EventStore } from "../state/event-store.ts";
import { clockTime, counted } from "../state/units.ts";

export interface ScrubberProps {
  readonly store: EventStore;
  /** How many events are shown; undefined for all of them. */
  readonly shown: number | undefined;
  readonly onScrub: (count: number | undefined) => void;
}

/** Shows the log as it was after its first events. */
export function Scrubber({ store, shown, onScrub }: ScrubberProps): JSX.Element {
  const { size } = store;
  const at = shown === undefined ? undefined : store.timeOf(Math.max(0, shown - 1));
  return (
    <label class="scrub">
      <span>{shown === undefined ? counted(size, "event") : `${shown} of ${counted(size, "event")}`}</span>
      <input
        type="range"
        min={0}
        max={size}
        value={shown ?? size}
        aria-label="Show the log as it was"
        aria-valuetext={at === undefined ? "now" : clockTime(at)}
        onInput={({ currentTarget: { valueAsNumber: count } }) => onScrub(count >= size ? undefined : count)}
      />
      <span class="moment">{at === undefined ? "" : clockTime(at)}</span>
    </label>
  );
}
