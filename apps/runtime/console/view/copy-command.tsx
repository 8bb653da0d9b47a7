import type { JSX } from "preact";
import { commandFor } from "../state/commands.ts";
import type { RowNode } from "../state/row-key.ts";
import { CopyButton } from "./copy-button.tsx";

/** The command that does or shows in a terminal what is looked at. */
export function CopyCommand({ node }: { readonly node: RowNode | undefined }): JSX.Element | null {
  const command = node === undefined ? undefined : commandFor(node);
  if (command === undefined) return null;
  const { text, about } = command;
  return (
    <span class="command">
      <code title={`${text}: ${about}`}>{text}</code>
      <CopyButton text={text} label="Copy" name={`Copy the command that ${about}`} />
    </span>
  );
}
