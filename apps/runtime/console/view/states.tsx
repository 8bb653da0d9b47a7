import type { JSX } from "preact";
import type { Source } from "../stream/source.ts";

/** What is shown while there is no run. */
export function NothingYet({ source }: { readonly source: Source }): JSX.Element {
  const { status } = source;
  if (status.kind === "connecting" || status.kind === "lost")
    return <p class="state">Waiting for the host …</p>;
  if (status.kind === "refused")
    return (
      <section class="state">
        <h2>{status.why}</h2>
        <p>{status.remedy}</p>
      </section>
    );
  if (status.kind === "file")
    return (
      <section class="state">
        <h2>There is no run in this log</h2>
        <p>A log is what 'basis events SESSION' prints: one event a line.</p>
      </section>
    );
  return (
    <section class="state">
      <h2>Nothing has run yet</h2>
      <p>What the agent does appears here while it happens. Begin a run in this folder:</p>
      <pre>basis run "what is here?"</pre>
    </section>
  );
}
