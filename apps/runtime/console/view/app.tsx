import type { JSX } from "preact";
import type { Source } from "../stream/source.ts";
import { missingIn } from "../state/activity.ts";
import { Footer } from "./footer.tsx";
import { Header } from "./header.tsx";
import { Inspector } from "./inspector.tsx";
import { LineageGraph } from "./lineage-graph.tsx";
import { RunTree } from "./run-tree.tsx";
import { NothingYet } from "./states.tsx";
import { panes, usePage, type Pane } from "./use-page.ts";

/** The page: sessions, runs, and everything about one row. */
export function App({ source }: { readonly source: Source }): JSX.Element {
  const page = usePage(source);
  const { model, session, rows, route, node, show, pane, setPane } = page;
  const { store, model: whole } = source.recording;
  return (
    <div class="app" data-pane={pane}>
      <Header source={source} activity={page.activity} waiting={page.waiting} onShow={show} />
      <Panes pane={pane} onPane={setPane} />
      <LineageGraph
        model={model}
        listed={source.listed}
        chosen={session}
        onChoose={(id) => show(id, undefined)}
      />
      <main>
        {session === undefined && <NothingYet source={source} />}
        {session !== undefined && (
          <RunTree
            rows={rows}
            chosen={route.row}
            scale={page.scale}
            now={page.end}
            onChoose={page.choose}
            onMove={page.move}
            onToggle={page.toggle}
          />
        )}
      </main>
      <Inspector
        node={node}
        tab={route.tab}
        model={model}
        store={store}
        source={source}
        onTab={page.openTab}
        onShow={show}
      />
      <Footer
        filter={page.filter}
        onFilter={page.setFilter}
        tally={whole.tally}
        missing={missingIn(whole)}
        store={store}
        shown={page.shown}
        onScrub={page.setShown}
        node={node}
      />
    </div>
  );
}

/** Where there is room for one part of the page alone, the way to the others. */
function Panes({
  pane,
  onPane,
}: {
  readonly pane: Pane;
  readonly onPane: (pane: Pane) => void;
}): JSX.Element {
  return (
    <nav class="panes" aria-label="Parts of the page">
      {panes.map((name) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-pressed={pane === name}
          onClick={() => onPane(name)}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}
