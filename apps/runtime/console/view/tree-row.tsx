import type { JSX } from "preact";
import { usageOf } from "../state/activity.ts";
import { nameOf } from "../state/lineage.ts";
import { stretchOf, type TimeScale } from "../state/time-scale.ts";
import type { FoldedNode, RunNode } from "../state/model.ts";
import type { RowNode } from "../state/row-key.ts";
import type { Row } from "../state/tree-rows.ts";
import { counted, duration, modelName, tokens } from "../state/units.ts";
import { Badge, verdictsOf } from "./badge.tsx";
import { Icon } from "./icon.tsx";
import { Line } from "./text.tsx";

/** How high a row is, in pixels; the style sheet has the same. */
export const ROW_HEIGHT = 28;

/** A row and what it needs to be drawn. */
export interface TreeRowProps {
  readonly row: Row;
  readonly index: number;
  readonly isChosen: boolean;
  readonly scale: TimeScale;
  readonly now: number;
  readonly onChoose: (key: string) => void;
  readonly onToggle: (key: string) => void;
}

/** One row: what it is, how it went, what it used and when it was. */
export function TreeRow(props: TreeRowProps): JSX.Element {
  const { row, index, isChosen, scale, now, onChoose, onToggle } = props;
  const { node, depth, open, key, place, among } = row;
  const { from, to } = stretchOf(node, now);
  const verdicts = verdictsOf(node);
  const isMoment = node.kind === "fork" || node.kind === "note";
  return (
    <div
      id={`row-${index}`}
      role="row"
      class={`row ${node.kind}${isChosen ? " chosen" : ""}`}
      aria-level={depth + 1}
      aria-rowindex={index + 1}
      aria-posinset={place}
      aria-setsize={among.size}
      aria-selected={isChosen}
      aria-expanded={open}
      style={{ top: `${index * ROW_HEIGHT}px` }}
      onClick={() => onChoose(key)}
    >
      <span role="gridcell" class="what" style={{ paddingInlineStart: `${Math.min(depth, 24) * 16}px` }}>
        <span
          class="twist"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            if (open !== undefined) onToggle(key);
          }}
        >
          {open !== undefined && <Icon name={open ? "open" : "closed"} />}
        </span>
        <Icon name={node.kind === "call" && node.childSession !== undefined ? "child" : node.kind} />
        <b>
          <Line text={titleOf(node)} />
        </b>
        <span class="text">
          <Line text={textOf(node)} />
        </span>
        {verdicts.map((verdict) => (
          <Badge key={verdict.word} verdict={verdict} />
        ))}
      </span>
      <span role="gridcell" class="amount">
        {amountOf(node)}
      </span>
      <span role="gridcell" class="amount">
        {isMoment ? "" : duration(to - from)}
      </span>
      <span role="gridcell" class="when" aria-hidden="true">
        <Bar scale={scale} from={from} to={to} isMoment={isMoment} tone={verdicts[0]?.tone ?? "plain"} />
      </span>
    </div>
  );
}

interface BarProps {
  readonly scale: TimeScale;
  readonly from: number;
  readonly to: number;
  readonly isMoment: boolean;
  readonly tone: string;
}

function Bar({ scale, from, to, isMoment, tone }: BarProps): JSX.Element {
  const left = scale.place(from);
  const width = isMoment ? 0 : scale.place(to) - left;
  return (
    <span
      class={`bar ${tone}${isMoment ? " moment" : ""}`}
      style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
    />
  );
}

/** What a row is called. */
export function titleOf(node: RowNode): string {
  switch (node.kind) {
    case "session":
      return nameOf(node.session);
    case "run":
      return node.agent === "" ? "run" : node.agent;
    case "round":
      return node.text === "" ? "model" : "model says";
    case "call":
      return node.tool.startsWith("basis_output_") ? "answer" : node.tool;
    case "fork":
      return `fork “${node.member}”`;
    case "note":
      return node.type.replaceAll("_", " ");
    case "folded":
      return counted(node.rounds, "older round");
  }
}

/** What the model is saying just now; a run without a task goes on with one of before. */
function saidNow({ live, task }: RunNode): string | undefined {
  if (live !== "") return live;
  return task === "" ? "goes on" : undefined;
}

/** What a row says beside its name. */
export function textOf(node: RowNode): string {
  switch (node.kind) {
    case "session":
      return node.session.model === undefined ? "" : modelName(node.session.model);
    case "run":
      return saidNow(node) ?? node.task;
    case "call":
      return node.summary;
    case "fork":
      return node.state === "seated" && node.count !== undefined
        ? `takes ${counted(node.count, "message")} along`
        : (node.message ?? "");
    case "folded":
      return foldedInWords(node);
    default:
      return node.text;
  }
}

function foldedInWords({ calls, kinds: { stopped, failed } }: FoldedNode): string {
  const parts = [
    counted(calls, "call"),
    stopped > 0 && `${stopped} denied`,
    failed > 0 && `${failed} failed`,
  ];
  return `${parts.filter(Boolean).join(", ")}: open to read them again`;
}

/** The tokens of a row in few digits; nothing where none were used. */
export function amountOf(node: RowNode): string {
  if (node.kind === "run") {
    const { self, subtree } = usageOf(node);
    const own = self.input_tokens + self.output_tokens;
    const all = subtree.input_tokens + subtree.output_tokens;
    if (all === 0) return "";
    return own === all ? tokens(own) : `${tokens(own)} of ${tokens(all)}`;
  }
  if (node.kind !== "round" || node.usage === undefined) return "";
  const total = node.usage.input_tokens + node.usage.output_tokens;
  return total === 0 ? "" : tokens(total);
}
