import type { JSX } from "preact";
import type { RowNode } from "../state/row-key.ts";
import { clockTime } from "../state/units.ts";
import type { TabProps } from "./tab.ts";
import { Value } from "./text.tsx";
import { sessionOfNode } from "./transcript-tab.tsx";

/** Most events that are shown at once. */
const MAX_EVENTS = 100;

/** The events behind a row, as they stand in the log. */
export function RawTab({ node, store }: TabProps): JSX.Element {
  const { id, last } = sessionOfNode(node);
  const seqs = seqsOf(node, last);
  const held = seqs.flatMap((seq) => store.event(id, seq) ?? []);
  return (
    <>
      <p class="hint">
        {held.length === 0
          ? "These events are not here yet: their host is asked for them."
          : held.length < seqs.length &&
            `${seqs.length - held.length} events are not here: their host is asked for them.`}
        {node.kind !== "call" &&
          seqs.length === MAX_EVENTS &&
          `The last ${MAX_EVENTS} events of the session.`}
      </p>
      {held.map((event) => (
        <details key={event.seq} open={held.length <= 3}>
          <summary>
            <span class="number">{event.seq}</span> <b>{event.type}</b>{" "}
            <small>{clockTime(Date.parse(event.ts))}</small>
          </summary>
          <Value value={event} label={`event ${event.seq ?? ""}`} />
        </details>
      ))}
    </>
  );
}

function seqsOf(node: RowNode, last: number): readonly number[] {
  switch (node.kind) {
    case "call":
    case "fork":
      return node.kind === "call" && node.attempt !== undefined
        ? [...node.events, ...node.attempt.events]
        : node.events;
    case "note":
      return node.seq === undefined ? [] : [node.seq];
    default: {
      const first = Math.max(1, last - MAX_EVENTS + 1);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
    }
  }
}
