import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visibleText } from "../state/visible-text.ts";

/** Longest text that is shown at once, in characters. */
const MAX_CHARS = 4000;
const MAX_LINES = 60;

/** Text from outside on one line, with what is not seen made visible. */
export function Line({ text }: { readonly text: string }): JSX.Element {
  return <>{visibleText(text).replaceAll(/\s+/g, " ")}</>;
}

/** Text from outside as it is, with what is not seen made visible; a long one opens whole when somebody asks. */
export function Block({ text, label }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const cut = cutText(text);
  const isCut = cut.length < text.length;
  return (
    <div class="block">
      <pre aria-label={label} tabIndex={0}>
        {visibleText(isWhole ? text : cut)}
      </pre>
      {isCut && (
        <button type="button" class="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show the beginning" : `Show all ${text.length.toLocaleString("en")} characters`}
        </button>
      )}
    </div>
  );
}

function cutText(text: string): string {
  let end = Math.min(text.length, MAX_CHARS);
  for (let line = 0, at = -1; line < MAX_LINES; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at === -1 || at >= end) break;
    if (line === MAX_LINES - 1) end = at;
  }
  return text.slice(0, end);
}

/** A value from outside: text as text, anything else as indented JSON. */
export function Value({ value, label }: { readonly value: unknown; readonly label?: string }): JSX.Element {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return <Block text={text} {...(label !== undefined && { label })} />;
}

/** A digest, or an id: the whole of it is read when it is selected. */
export function Code({ text }: { readonly text: string }): JSX.Element {
  return <code class="code">{visibleText(text)}</code>;
}
