import type { JSX } from "preact";
import type { CallNode } from "../state/model.ts";
import { rowKey, type RowNode } from "../state/row-key.ts";
import { ActionBar } from "./actions/action-bar.tsx";
import { Badge, verdictsOf } from "./badge.tsx";
import { CallTab } from "./call-tab.tsx";
import { ChildTab } from "./child-tab.tsx";
import { FactsTab } from "./facts-tab.tsx";
import { HooksTab } from "./hooks-tab.tsx";
import { OutputTab } from "./output-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import type { TabProps } from "./tab.ts";
import { Line } from "./text.tsx";
import { TranscriptTab } from "./transcript-tab.tsx";
import { textOf, titleOf } from "./tree-row.tsx";
import { UsageTab } from "./usage-tab.tsx";

interface Tab {
  readonly name: string;
  readonly draw: () => JSX.Element;
}

function tabsOf(props: TabProps): readonly Tab[] {
  const { node } = props;
  const facts = { name: "Overview", draw: () => <FactsTab {...props} /> };
  const transcript = { name: "Transcript", draw: () => <TranscriptTab {...props} /> };
  const usage = { name: "Usage", draw: () => <UsageTab {...props} /> };
  const raw = { name: "Raw", draw: () => <RawTab {...props} /> };
  switch (node.kind) {
    case "call":
      return [...callTabs({ ...props, node }), raw];
    case "run": {
      const answers = { name: "Answers", draw: () => <OutputTab {...props} node={node} /> };
      return [facts, ...(node.attempts.length > 0 ? [answers] : []), transcript, usage, raw];
    }
    case "session":
    case "round":
      return [facts, transcript, usage, raw];
    default:
      return [facts, raw];
  }
}

function callTabs(props: TabProps<CallNode>): readonly Tab[] {
  const { tool, childSession, pre, post, broken, attempt } = props.node;
  const tabs: readonly (readonly [boolean, Tab])[] = [
    [true, { name: "Call", draw: () => <CallTab {...props} /> }],
    [
      pre !== undefined || post !== undefined || broken,
      { name: "Hooks", draw: () => <HooksTab {...props} /> },
    ],
    [attempt !== undefined, { name: "Answers", draw: () => <OutputTab {...props} /> }],
    [tool === "spawn" || childSession !== undefined, { name: "Child", draw: () => <ChildTab {...props} /> }],
  ];
  return tabs.filter(([isThere]) => isThere).map(([, tab]) => tab);
}

/** What the inspector shows and tells. */
export interface InspectorProps extends Omit<TabProps, "node"> {
  readonly node: RowNode | undefined;
  readonly tab: string | undefined;
  readonly onTab: (name: string) => void;
}

/** Everything that the log tells of one row. */
export function Inspector({ node, tab, onTab, ...rest }: InspectorProps): JSX.Element {
  if (node === undefined)
    return (
      <section class="inspector" aria-label="Details">
        <p class="state">Choose a row to see what it was asked, who decided about it and what came of it.</p>
      </section>
    );
  const tabs = tabsOf({ node, ...rest });
  const chosen = tabs.find(({ name }) => name === tab) ?? tabs[0]!;
  const step = (by: number): void => {
    const next = tabs[(tabs.indexOf(chosen) + by + tabs.length) % tabs.length]!;
    onTab(next.name);
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return (
    <section class="inspector" aria-label="Details">
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
        {tabs.map(({ name }) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen.name}
            aria-controls="details"
            tabIndex={name === chosen.name ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="details" role="tabpanel" aria-labelledby={`tab-${chosen.name}`} class="details" tabIndex={0}>
        {chosen.draw()}
      </div>
    </section>
  );
}
