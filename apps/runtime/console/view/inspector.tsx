import type { JSX } from "preact";
import { rowKey, type RowNode } from "../state/row-key.ts";
import { ActionBar } from "./actions/action-bar.tsx";
import { Badge, verdictsOf } from "./badge.tsx";
import { CallTab } from "./call-tab.tsx";
import { ChildTab } from "./child-tab.tsx";
import { FactsTab } from "./facts-tab.tsx";
import { Guard } from "./guard.tsx";
import { HooksTab } from "./hooks-tab.tsx";
import { OutputTab } from "./output-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import type { TabProps } from "./tab.ts";
import { tabsOf } from "./tabs.ts";
import { Line } from "./text.tsx";
import { TranscriptTab } from "./transcript-tab.tsx";
import { textOf, titleOf } from "./tree-row.tsx";
import { UsageTab } from "./usage-tab.tsx";
import { useSecondReading } from "./use-second-reading.ts";

/** What the inspector shows and tells. */
export interface InspectorProps extends Omit<TabProps, "node"> {
  readonly node: RowNode | undefined;
  readonly tab: string | undefined;
  readonly onTab: (name: string) => void;
}

/** Everything that the log tells of one row. */
export function Inspector({ node, tab, onTab, ...rest }: InspectorProps): JSX.Element {
  useSecondReading(rest.source, node && `${rowKey(node)} ${tab}`);
  if (node === undefined)
    return (
      <p class="state">Choose a row to see what it was asked, who decided about it and what came of it.</p>
    );
  const names = tabsOf(node);
  const chosen = names.find((name) => name === tab) ?? names[0]!;
  const step = (by: number): void => {
    const next = names[(names.indexOf(chosen) + by + names.length) % names.length]!;
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <>
      <header>
        <h2>
          <Line text={titleOf(node)} />
        </h2>
        <p class="about">
          <Line text={textOf(node)} />
        </p>
        <p class="badges">
          {verdictsOf(node).map((verdict) => (
            <Badge key={verdict.word} verdict={verdict} />
          ))}
        </p>
        <ActionBar key={rowKey(node)} node={node} source={rest.source} />
      </header>
      <div
        role="tablist"
        aria-label="Details"
        onKeyDown={({ key }) => {
          if (key === "ArrowRight") step(1);
          if (key === "ArrowLeft") step(-1);
        }}
      >
        {names.map((name) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls="details"
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="details" role="tabpanel" aria-labelledby={`tab-${chosen}`} class="details" tabIndex={0}>
        <Guard key={`${rowKey(node)} ${chosen}`} part={`the tab ${chosen}`} node={node}>
          <Panel name={chosen} node={node} {...rest} />
        </Guard>
      </div>
    </>
  );
}

/** A tab of a row, by its name. */
function Panel({ name, node, ...rest }: TabProps & { readonly name: string }): JSX.Element {
  if (name === "Overview") return <FactsTab node={node} {...rest} />;
  if (name === "Transcript") return <TranscriptTab node={node} {...rest} />;
  if (name === "Usage") return <UsageTab node={node} {...rest} />;
  if (name === "Answers" && (node.kind === "call" || node.kind === "run"))
    return <OutputTab node={node} {...rest} />;
  if (node.kind !== "call" || name === "Raw") return <RawTab node={node} {...rest} />;
  if (name === "Hooks") return <HooksTab node={node} {...rest} />;
  return name === "Child" ? <ChildTab node={node} {...rest} /> : <CallTab node={node} {...rest} />;
}
