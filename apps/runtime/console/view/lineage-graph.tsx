import type { JSX } from "preact";
import { lineagePoints, nameOf, type LineagePoint } from "../state/lineage.ts";
import type { Model, SessionNode } from "../state/model.ts";
import { counted } from "../state/units.ts";
import type { ListedSession } from "../stream/source.ts";
import { families } from "./choice.ts";
import { Line } from "./text.tsx";

const LINE_HEIGHT = 30;
const COLUMN_WIDTH = 20;
const MARGIN = 16;

/** What the graph shows and tells. */
export interface LineageProps {
  readonly model: Model;
  readonly listed: ReadonlyMap<string, ListedSession>;
  readonly chosen: SessionNode | undefined;
  readonly onChoose: (session: string) => void;
}

/** Sessions as points, forks as lines with the message that they begin behind; dashed where nobody was seated. */
export function LineageGraph({ model, listed, chosen, onChoose }: LineageProps): JSX.Element {
  const roots = families(model);
  const unread = [...listed.values()]
    .filter(({ session, spawned_by: by }) => by === undefined && !isShown(model, session))
    .filter(({ messages }) => messages > 0)
    .toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  return (
    <>
      <h2>Sessions</h2>
      {roots.map((root) => (
        <Family key={root.id} points={lineagePoints(model, root)} chosen={chosen} onChoose={onChoose} />
      ))}
      {unread.length > 0 && (
        <details class="unread">
          <summary>{counted(unread.length, "older session")}</summary>
          <ul>
            {unread.slice(0, 200).map(({ session, member, messages }) => (
              <li key={session}>
                <button type="button" class="quiet" onClick={() => onChoose(session)}>
                  <Line text={member ?? session.slice(0, 13)} /> <small>{counted(messages, "message")}</small>
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function isShown({ sessions }: Model, id: string): boolean {
  const session = sessions.get(id);
  return session !== undefined && (session.last > 0 || session.origin !== undefined);
}

interface FamilyProps {
  readonly points: readonly LineagePoint[];
  readonly chosen: SessionNode | undefined;
  readonly onChoose: (session: string) => void;
}

function Family({ points, chosen, onChoose }: FamilyProps): JSX.Element {
  const columns = Math.min(8, Math.max(...points.map(({ column }) => column)));
  const width = MARGIN * 2 + columns * COLUMN_WIDTH;
  const height = points.length * LINE_HEIGHT;
  return (
    <div class="family">
      <svg width={width} height={height} aria-hidden="true" focusable="false">
        {points.map((point) => (
          <Edge key={point.session.id} point={point} />
        ))}
        {points.map(({ session, column, line }) => (
          <circle
            key={session.id}
            class={session === chosen ? "point chosen" : "point"}
            cx={xOf(column)}
            cy={yOf(line)}
            r={5}
          />
        ))}
      </svg>
      <ul>
        {points.map(({ session, from }) => (
          <li key={session.id}>
            <button
              type="button"
              class="pick"
              aria-current={session === chosen ? "true" : undefined}
              onClick={() => onChoose(session.id)}
            >
              <span class="name">
                <Line text={nameOf(session)} />
              </span>
              <small>{from === undefined ? counted(session.runs.size, "run") : forkInWords(from)}</small>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Edge({ point: { column, line, from } }: { readonly point: LineagePoint }): JSX.Element | null {
  if (from === undefined) return null;
  const [x1, y1, x2, y2] = [xOf(from.column), yOf(from.line), xOf(column), yOf(line)];
  const path = `M${x1} ${y1}V${y2 - 8}Q${x1} ${y2} ${x1 + 8} ${y2}H${x2}`;
  return <path class={from.state === "seated" ? "edge" : "edge unseated"} d={path} />;
}

function forkInWords({ count, state }: NonNullable<LineagePoint["from"]>): string {
  const at = count === undefined ? "forked" : `from message ${count}`;
  return state === "seated" ? at : `${at}, not seated`;
}

function xOf(column: number): number {
  return MARGIN + Math.min(column, 8) * COLUMN_WIDTH;
}

function yOf(line: number): number {
  return line * LINE_HEIGHT + LINE_HEIGHT / 2;
}
