import type { JSX } from "preact";
import type { Source } from "../stream/source.ts";
import { Guard } from "./guard.tsx";
import { Header } from "./header.tsx";
import { LineageGraph } from "./lineage-graph.tsx";
import { RunTree } from "./run-tree.tsx";
import { NothingYet } from "./states.tsx";
import { Line } from "./text.tsx";
import { panes, usePage, type Page, type Pane } from "./use-page.ts";
import { usePanels, type Panels, type PanelsState } from "./use-panels.ts";

/** The page: sessions, runs, and everything about one row. */
export function App({ source }: { readonly source: Source }): JSX.Element {
  const panels = usePanels();
  const { loaded } = panels;
  const page = usePage(source, loaded);
  const { model, session, node, show, pane, setPane } = page;
  return (
    <div class="app" data-pane={pane}>
      <Header source={source} activity={page.activity} waiting={page.waiting} onShow={show} />
      <Panes pane={pane} onPane={setPane} />
      <nav class="lineage" aria-label="Sessions and their forks">
        <Guard part="the list of sessions">
          <LineageGraph
            model={model}
            listed={source.listed}
            chosen={session}
            onChoose={(id) => show(id, undefined)}
          />
        </Guard>
      </nav>
      <main>
        <Guard part="the tree of runs" node={node}>
          {session === undefined ? <NothingYet source={source} /> : <Tree page={page} loaded={loaded} />}
        </Guard>
      </main>
      <section class="inspector" aria-label="Details">
        <Guard part="the details" node={node}>
          <Details page={page} source={source} panels={panels} />
        </Guard>
      </section>
      <footer class="bottom">
        <Guard part="the footer" node={node}>
          {loaded !== undefined && (
            <loaded.Footer
              source={source}
              filter={page.filter}
              onFilter={page.setFilter}
              shown={page.shown}
              at={page.shown === undefined ? undefined : page.end}
              onScrub={page.setShown}
              node={node}
            />
          )}
        </Guard>
      </footer>
    </div>
  );
}

interface TreeProps {
  readonly page: Page;
  readonly loaded: Panels | undefined;
}

function Tree({ page, loaded }: TreeProps): JSX.Element {
  const { rows, route, scale, end, choose, move, toggle } = page;
  return (
    <RunTree
      rows={rows}
      chosen={route.row}
      scale={scale}
      now={end}
      onChoose={choose}
      onMove={move}
      onToggle={toggle}
      moveInTree={loaded?.moveInTree}
    />
  );
}

interface DetailsProps {
  readonly page: Page;
  readonly source: Source;
  readonly panels: PanelsState;
}

/** Everything about one row, as soon as that part of the page is loaded. */
function Details({ page, source, panels: { loaded, problem } }: DetailsProps): JSX.Element | null {
  const { model, node, route, openTab, show } = page;
  if (problem !== undefined)
    return (
      <p class="state">
        <Line text={`This part of the page could not be loaded: ${problem}. Load the page again.`} />
      </p>
    );
  if (loaded === undefined) return null;
  return (
    <loaded.Inspector
      node={node}
      tab={route.tab}
      model={model}
      store={source.recording.store}
      source={source}
      onTab={openTab}
      onShow={show}
    />
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
