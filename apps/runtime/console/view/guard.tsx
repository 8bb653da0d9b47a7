import type { ComponentChildren, JSX } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { placeOf, rowKey, type RowNode } from "../state/row-key.ts";
import { CopyButton } from "./copy-button.tsx";
import { Line } from "./text.tsx";

/** What is guarded. */
export interface GuardProps {
  /** Names the part of the page. */
  readonly part: string;
  /** What it shows, if that is one thing. */
  readonly node?: RowNode | undefined;
  readonly children: ComponentChildren;
}

/** Keeps a defect of one part of the page from the others: says which part and which events, and what to hand on. */
export function Guard({ part, node, children }: GuardProps): JSX.Element {
  const [failed, again] = useErrorBoundary() as [Error | undefined, () => void];
  if (failed === undefined) return <>{children}</>;
  const where = node === undefined ? "" : ` at ${placeOf(node)}`;
  const told = [
    `${part} of the console failed${where}`,
    ...(node === undefined ? [] : [rowKey(node)]),
    `${failed.name}: ${failed.message}`,
    failed.stack ?? "",
    navigator.userAgent,
  ];
  return (
    <div class="failed" role="alert">
      <p class="why">
        This is a defect of the page: <Line text={`${part} could not be shown${where}: ${failed.message}`} />
      </p>
      <p>
        The rest of the page goes on.{" "}
        <button type="button" onClick={again}>
          Try again
        </button>{" "}
        <CopyButton text={told.join("\n")} label="Copy what happened" />
      </p>
    </div>
  );
}
