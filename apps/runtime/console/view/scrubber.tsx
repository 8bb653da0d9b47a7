import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { clockTime, counted } from "../state/units.ts";
import { holdWhole, letGo } from "../stream/read-again.ts";
import type { Source } from "../stream/source.ts";
import { Icon } from "./icon.tsx";
import { Line } from "./text.tsx";

/** How long a replay takes, and between its steps; with reduced motion it goes in few steps. In milliseconds. */
const REPLAY_MS = 20_000;
const STEP_MS = 100;
const CALM_STEP_MS = 2000;

export interface ScrubberProps {
  readonly source: Source;
  /** How many events are shown; undefined for all of them. */
  readonly shown: number | undefined;
  /** When the last of them was told. */
  readonly at: number | undefined;
  readonly onScrub: (count: number | undefined) => void;
}

/** Shows the log as it was after its first events, and plays it again. */
export function Scrubber({ source, shown, at, onScrub }: ScrubberProps): JSX.Element {
  const { store } = source.recording;
  const total = store.size + store.dropped;
  const problem = useWholeLog(source, shown !== undefined);
  const scrub = (count: number): void => onScrub(count >= total ? undefined : count);
  const [isPlaying, setPlaying] = useReplay(total, shown, scrub);
  const events = counted(total, "event");
  return (
    <span class="scrub" role="group" aria-label="Replay">
      <button
        type="button"
        class="play"
        disabled={total === 0}
        aria-label={isPlaying ? "Pause the replay" : "Replay the log"}
        onClick={() => {
          if (!isPlaying && shown === undefined) scrub(0);
          setPlaying(!isPlaying);
        }}
      >
        <Icon name={isPlaying ? "wait" : "run"} />
      </button>
      <span class="count">{shown === undefined ? events : `${shown.toLocaleString("en")} of ${events}`}</span>
      <input
        type="range"
        min={0}
        max={total}
        value={shown ?? total}
        aria-label="Show the log as it was"
        aria-valuetext={at === undefined ? "now" : clockTime(at)}
        onInput={({ currentTarget: { valueAsNumber: count } }) => {
          setPlaying(false);
          scrub(count);
        }}
      />
      <span class="moment">{at === undefined ? "" : clockTime(at)}</span>
      {problem !== undefined && (
        <small class="why">
          <Line text={problem} />
        </small>
      )}
    </span>
  );
}

/** Holds the whole log while it is looked at as it was. Answers why it could not. */
function useWholeLog(source: Source, isWanted: boolean): string | undefined {
  const [problem, setProblem] = useState<string>();
  const { recording } = source;
  useEffect(() => {
    setProblem(undefined);
    if (!isWanted) return;
    holdWhole(source).then(
      () => source.tell(),
      (error: Error) =>
        recording === source.recording && setProblem(`older events could not be read: ${error.message}`),
    );
    return () => letGo(source, recording);
  }, [source, recording, isWanted]);
  return problem;
}

/** Steps through the log by itself, to its end. */
function useReplay(
  total: number,
  shown: number | undefined,
  scrub: (count: number) => void,
): readonly [boolean, (isPlaying: boolean) => void] {
  const [isPlaying, setPlaying] = useState(false);
  const step = useRef<() => void>(() => undefined);
  const everyMs = matchMedia("(prefers-reduced-motion: reduce)").matches ? CALM_STEP_MS : STEP_MS;
  step.current = () => {
    if (shown === undefined) setPlaying(false);
    else scrub(shown + Math.max(1, Math.ceil((total * everyMs) / REPLAY_MS)));
  };
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => step.current(), everyMs);
    return () => clearInterval(timer);
  }, [isPlaying, everyMs]);
  return [isPlaying, setPlaying];
}
