import type { JSX } from "preact";
import { usageOf } from "../state/activity.ts";
import { highlightsOf } from "../state/highlights.ts";
import { nameOf } from "../state/lineage.ts";
import type { RunNode, SessionNode } from "../state/model.ts";
import { rowKey, type RowNode } from "../state/row-key.ts";
import { missingIn } from "../state/seen-numbers.ts";
import { clockTime, duration, modelName, tokens } from "../state/units.ts";
import { Badge, verdictsOf } from "./badge.tsx";
import type { TabProps } from "./tab.ts";
import { Code, Line, Value } from "./text.tsx";
import { textOf, titleOf } from "./tree-row.tsx";

/** The facts of a row that is no call. */
export function FactsTab(props: TabProps): JSX.Element {
  const { node, store, onShow } = props;
  const message = messageOf(props);
  return (
    <>
      <dl>
        {factsOf(node).map(([name, value, isCode]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{isCode === true ? <Code text={value} /> : <Line text={value} />}</dd>
          </div>
        ))}
      </dl>
      {message !== undefined && <Value value={message} />}
      {node.kind === "session" && <Highlights {...props} session={node.session} />}
      {node.kind === "fork" && node.target !== undefined && (
        <button type="button" onClick={() => onShow(node.target!, undefined)}>
          Show the fork's session
        </button>
      )}
      {node.kind === "session" && node.session.origin !== undefined && (
        <button
          type="button"
          onClick={() => onShow(node.session.origin!.source.id, rowKey(node.session.origin!))}
        >
          Show where it came from
        </button>
      )}
      {node.kind === "note" && node.seq !== undefined && (
        <Value value={noteInFull(store.event(node.session.id, node.seq)?.data, node.text)} />
      )}
    </>
  );
}

interface HighlightsProps extends TabProps {
  readonly session: SessionNode;
}

/** The way to what was stopped, changed, asked about, judged or forked. */
function Highlights({ model, session, onShow }: HighlightsProps): JSX.Element | null {
  const highlights = highlightsOf(model, session);
  if (highlights.length === 0) return null;
  return (
    <section>
      <h3>worth a look</h3>
      <ul class="highlights">
        {highlights.map(({ row, node }) => (
          <li key={row}>
            <button type="button" class="quiet" onClick={() => onShow(session.id, row)}>
              <Line text={titleOf(node)} />
            </button>
            {verdictsOf(node).map((verdict) => (
              <Badge key={verdict.word} verdict={verdict} />
            ))}
            <small>
              <Line text={textOf(node)} />
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A text is read as one, and not in quotes. */
function noteInFull(data: object | undefined, text: string): unknown {
  return data !== undefined && "text" in data ? data.text : (data ?? text);
}

/** What a model said, or what a run was told, whole. */
function messageOf({ node, store }: TabProps): string | undefined {
  if (node.kind === "round" && node.seq !== undefined) {
    const event = store.event(node.run.session.id, node.seq);
    return event?.type === "assistant_message" && event.data.text !== "" ? event.data.text : undefined;
  }
  return node.kind === "fork" ? node.message : undefined;
}

type Fact = readonly [name: string, value: string, isCode?: boolean];

function factsOf(node: RowNode): readonly Fact[] {
  switch (node.kind) {
    case "session":
      return sessionFacts(node.session);
    case "run":
      return runFacts(node);
    case "round":
      return [
        ["round", String(node.number)],
        ["ended as", node.finish.replaceAll("_", " ")],
        ["took", duration((node.endedAt ?? node.startedAt) - node.startedAt)],
        ...optional("message", node.row === undefined ? undefined : String(node.row + 1)),
      ];
    case "fork":
      return [
        ["from", nameOf(node.source)],
        ...optional("takes along", node.count === undefined ? undefined : `the first ${node.count} messages`),
        ["as", node.member],
        ["at", clockTime(node.at)],
        ...(node.operation === undefined ? [] : [["operation", node.operation, true] as const]),
      ];
    case "note":
      return [["at", clockTime(node.at)]];
    case "folded":
      return [
        ["rounds", String(node.rounds)],
        ["calls", String(node.calls)],
        ["events", `${node.from} to ${node.to}`],
        ["began", clockTime(node.startedAt)],
      ];
    case "call":
      return [];
  }
}

function sessionFacts(session: SessionNode): readonly Fact[] {
  const { id, origin, model, workspace, runs } = session;
  const { count, where } = missingIn([session]);
  return [
    ["session", id, true],
    ...optional("forked from", origin === undefined ? undefined : forkInWords(session)),
    ...optional("model", model === undefined ? undefined : modelName(model)),
    ...optional("folder", workspace),
    ["runs", String(runs.size)],
    ...optional("missing", count === 0 ? undefined : `${count} events of its log were not read: ${where}`),
  ];
}

function runFacts(run: RunNode): readonly Fact[] {
  const { task, status, why, startedAt, endedAt, rounds, folded, id } = run;
  const { subtree, complete } = usageOf(run);
  const used = `${tokens(subtree.input_tokens)} in, ${tokens(subtree.output_tokens)} out`;
  return [
    ["task", task],
    ["status", why === undefined ? status : `${status}: ${why}`],
    ["began", clockTime(startedAt)],
    ["took", endedAt === undefined ? "still running" : duration(endedAt - startedAt)],
    ["rounds", String(rounds.length + (folded?.rounds ?? 0))],
    ["tokens", complete ? used : `${used}, as far as known`],
    ["run", id, true],
  ];
}

function optional(name: string, value: string | undefined): readonly Fact[] {
  return value === undefined ? [] : [[name, value]];
}

function forkInWords(session: SessionNode): string {
  const { source, count } = session.origin!;
  return count === undefined ? nameOf(source) : `${nameOf(source)}, after its message ${count}`;
}
