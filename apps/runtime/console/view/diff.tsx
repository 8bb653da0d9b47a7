import type { JSX } from "preact";
import { diffJson } from "../state/json-diff.ts";
import { visibleText } from "../state/visible-text.ts";

const signs = { both: " ", before: "−", after: "+" } as const;
const words = { both: undefined, before: "removed", after: "added" } as const;
const MAX_LINES = 400;

/** How one value became another, line by line. */
export function Diff({ before, after }: { readonly before: unknown; readonly after: unknown }): JSX.Element {
  const lines = diffJson(before, after);
  return (
    <div class="block">
      <pre class="diff" tabIndex={0}>
        {lines.slice(0, MAX_LINES).map(({ side, text }, index) => (
          <span key={index} class={side} aria-label={words[side]}>
            {`${signs[side]} ${visibleText(text)}\n`}
          </span>
        ))}
      </pre>
      {lines.length > MAX_LINES && <p class="hint">{lines.length - MAX_LINES} more lines: see Raw.</p>}
    </div>
  );
}
