import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { consoleHtml } from "../../../src/page/console-html.ts";
import { nameOf, rootOf } from "../../state/lineage.ts";
import type { SessionNode } from "../../state/model.ts";
import { linesInOrder } from "../../state/time-order.ts";
import { holdWhole, letGo } from "../../stream/read-again.ts";
import type { Source } from "../../stream/source.ts";
import { Line } from "../text.tsx";

export interface ExportProps {
  readonly source: Source;
  readonly session: SessionNode;
}

/** Writes what this page holds as one file that shows it again, anywhere. */
export function ExportAction({ source, session }: ExportProps): JSX.Element | null {
  const [problem, setProblem] = useState<string>();
  const { rpc, recording } = source;
  if (rpc === undefined) return null;
  if (!isSecureContext)
    return (
      <small>
        To export: basis sessions export <Line text={nameOf(session)} /> --console --to run.html
      </small>
    );
  const name = nameOf(rootOf(recording.model, session));
  const write = async (): Promise<void> => {
    const [script, style] = await Promise.all(["/page.js", "/app.css"].map((path) => fileText(path)));
    const digests = { script: await digest(script!), style: await digest(style!) };
    const pieces = consoleHtml({ name, files: { script: script!, style: style! }, digests });
    const lines = await wholeLog(source);
    download(`${name}.html`, [pieces.before, ...lines.map((line) => pieces.line(line)), pieces.after]);
  };
  return (
    <div class="action">
      <button
        type="button"
        onClick={() =>
          void write().then(
            () => setProblem(undefined),
            (error: Error) => setProblem(error.message),
          )
        }
      >
        Export as a page
      </button>
      {problem !== undefined && (
        <small class="why">
          <Line text={problem} />
        </small>
      )}
    </div>
  );
}

async function wholeLog(source: Source): Promise<readonly string[]> {
  const { recording } = source;
  try {
    await holdWhole(source);
    return linesInOrder(recording.store);
  } finally {
    letGo(source, recording);
  }
}

async function fileText(path: string): Promise<string> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} could not be read: ${response.status}`);
  return response.text();
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes));
}

function download(name: string, pieces: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...pieces], { type: "text/html" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
