import type { JSX } from "preact";
import type { Source } from "../stream/source.ts";

/** What is shown to who comes without a token. */
export function NoToken(): JSX.Element {
  return (
    <main class="state">
      <h1>This page needs its token</h1>
      <p>
        The host prints an address with the token behind <code>#token=</code>. Open that address, or have the
        browser opened for you:
      </p>
      <pre>basis serve --http 127.0.0.1:0 --open</pre>
      <p>Without a key for a model, there is a demonstration:</p>
      <pre>basis demo --open</pre>
    </main>
  );
}

/** What is shown while there is no run. */
export function NothingYet({ source }: { readonly source: Source }): JSX.Element {
  const { status } = source;
  if (status.kind === "connecting") return <p class="state">Reading the host's log …</p>;
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
