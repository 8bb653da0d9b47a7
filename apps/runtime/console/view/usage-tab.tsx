import type { JSX } from "preact";
import { usageOf } from "../state/activity.ts";
import type { RunNode, Tokens } from "../state/model.ts";
import type { RowNode } from "../state/row-key.ts";
import type { TabProps } from "./tab.ts";
import { Line } from "./text.tsx";

const kinds: readonly (readonly [keyof Tokens, string])[] = [
  ["input_tokens", "in"],
  ["cached_input_tokens", "of these cached"],
  ["output_tokens", "out"],
  ["reasoning_tokens", "of these reasoning"],
];

/** Tokens of a run or of a session's runs: its own, and with every child's. */
export function UsageTab({ node }: TabProps): JSX.Element {
  if (node.kind === "round") {
    return node.usage === undefined ? (
      <p class="hint">This round told no usage.</p>
    ) : (
      <UsageTable columns={[["this round", node.usage]]} />
    );
  }
  return (
    <>
      {runsOf(node).map((run) => {
        const { self, subtree, complete } = usageOf(run);
        return (
          <section key={run.id}>
            <h3>
              <Line text={run.task === "" ? "run" : run.task} />
            </h3>
            <UsageTable
              columns={[
                ["itself", self],
                ["with its children", subtree],
              ]}
            />
            {!complete && <p class="hint">Not all of it is known.</p>}
          </section>
        );
      })}
    </>
  );
}

function runsOf(node: RowNode): readonly RunNode[] {
  if (node.kind === "run") return [node];
  return node.kind === "session" ? [...node.session.runs.values()] : [];
}

function UsageTable({ columns }: { readonly columns: readonly (readonly [string, Tokens])[] }): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">tokens</th>
          {columns.map(([name]) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {kinds.map(([kind, label]) => (
          <tr key={kind}>
            <th scope="row">{label}</th>
            {columns.map(([name, usage]) => (
              <td key={name} class="number">
                {usage[kind].toLocaleString("en")}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
