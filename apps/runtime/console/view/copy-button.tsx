import type { JSX } from "preact";
import { useState } from "preact/hooks";

export interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  /** What it is called where its label alone does not tell. */
  readonly name?: string;
}

/** Puts a text where it can be pasted; where a page may not do that, it says so. */
export function CopyButton({ text, label, name }: CopyButtonProps): JSX.Element {
  const [done, setDone] = useState<readonly [text: string, word: string]>();
  const copy = (): void =>
    void Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setDone([text, "Copied"]),
        () => setDone([text, "Not allowed to copy"]),
      );
  return (
    <button type="button" onClick={copy} aria-label={name}>
      {done?.[0] === text ? done[1] : label}
    </button>
  );
}
