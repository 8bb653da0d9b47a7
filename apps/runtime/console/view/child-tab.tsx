import type { JSX } from "preact";
import type { EventOf } from "../state/fold-context.ts";
import type { CallNode, SessionNode } from "../state/model.ts";
import { modelName } from "../state/units.ts";
import { useCall, type TabProps } from "./tab.ts";
import { Code, Line, Value } from "./text.tsx";

/** What a child was asked to be, and what it was allowed. */
export function ChildTab(props: TabProps<CallNode>): JSX.Element {
  const { node, model, onShow } = props;
  const { previewed, started, finished } = useCall(props);
  const child = node.childSession === undefined ? undefined : model.sessions.get(node.childSession);
  return (
    <>
      {previewed === undefined ? (
        <p class="hint">No plan of a child was told.</p>
      ) : (
        <Plan data={previewed.data} started={started?.data} parent={node.round.run.session} />
      )}
      {started !== undefined && (
        <section>
          <h3>started</h3>
          <dl>
            <dt>as</dt>
            <dd>
              <Line text={started.data.agent} />
            </dd>
            <dt>ended</dt>
            <dd>
              <Line text={finished?.data.status ?? "not yet"} />
            </dd>
          </dl>
          {child !== undefined && child.last > 0 && (
            <button type="button" onClick={() => onShow(child.id, undefined)}>
              Show its session
            </button>
          )}
        </section>
      )}
    </>
  );
}

interface PlanProps {
  readonly data: EventOf<"child_previewed">["data"];
  readonly started: EventOf<"child_started">["data"] | undefined;
  readonly parent: SessionNode;
}

function Plan({ data, started, parent }: PlanProps): JSX.Element {
  const { dropped, unknown = [], preview, plan_digest: digest } = data;
  return (
    <>
      <section>
        <h3>task</h3>
        <Value value={recordOf(preview)["body"] ?? preview} />
      </section>
      <section>
        <h3>asked for, and got</h3>
        <table>
          <thead>
            <tr>
              <th scope="col">what</th>
              <th scope="col">asked for</th>
              <th scope="col">got</th>
            </tr>
          </thead>
          <tbody>
            {rowsOf({ data, started, parent }).map(([name, asked, got]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <Line text={asked} />
                </td>
                <td>
                  <Line text={got} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <LeftOut names={dropped} why="since its parent lacks them" />
        <LeftOut names={unknown} why="since no tool has these names" />
      </section>
      <section>
        <h3>digest of the plan</h3>
        <Code text={digest} />
      </section>
    </>
  );
}

function LeftOut({
  names,
  why,
}: {
  readonly names: readonly string[];
  readonly why: string;
}): JSX.Element | null {
  if (names.length === 0) return null;
  return (
    <p class="why">
      Left out, {why}: <Line text={names.join(", ")} />
    </p>
  );
}

const AS_PARENT = "as its parent";

/** What was asked for and what the child got, fact by fact. */
function rowsOf({ data, started, parent }: PlanProps): readonly (readonly [string, string, string])[] {
  const { model: askedModel, roster, system } = recordOf(recordOf(data.preview)["child"]);
  const model = started?.model ?? askedModel ?? parent.model;
  const { offered, hidden } = recordOf(roster);
  const asked = listOf(offered);
  const refused = new Set([...data.dropped, ...(data.unknown ?? [])]);
  const text = system === "replaced" ? "its own" : AS_PARENT;
  return [
    [
      "model",
      askedModel === undefined ? AS_PARENT : modelInWords(askedModel),
      model === undefined ? "not known" : modelInWords(model),
    ],
    [
      "tools",
      toolsInWords(asked, listOf(hidden)),
      toolsInWords(
        asked?.filter((name) => !refused.has(name)),
        listOf(hidden),
      ),
    ],
    ["system text", text, text],
  ];
}

function toolsInWords(offered: readonly string[] | undefined, hidden: readonly string[] | undefined): string {
  if (offered !== undefined) return offered.length === 0 ? "none" : offered.join(", ");
  return hidden === undefined ? AS_PARENT : `its parent's without ${hidden.join(", ")}`;
}

function modelInWords(model: unknown): string {
  const { provider, id } = recordOf(model);
  return modelName({ provider: String(provider), id: String(id) });
}

function listOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
