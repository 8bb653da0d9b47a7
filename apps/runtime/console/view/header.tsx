import type { JSX } from "preact";
import type { Activity } from "../state/activity.ts";
import type { Waiting } from "../state/waiting-calls.ts";
import { counted, tokens } from "../state/units.ts";
import type { Source } from "../stream/source.ts";
import { Icon } from "./icon.tsx";
import { Line } from "./text.tsx";

/** What the header shows and tells. */
export interface HeaderProps {
  readonly source: Source;
  readonly activity: Activity;
  readonly waiting: readonly Waiting[];
  readonly onShow: (session: string, row: string | undefined) => void;
}

/** Where the events come from, what runs, what waits for a person, and what was used. */
export function Header({ source, activity, waiting, onShow }: HeaderProps): JSX.Element {
  const { input_tokens: input, output_tokens: output } = activity.usage;
  const first = waiting[0];
  return (
    <header class="top">
      <h1>basis</h1>
      <Connection source={source} />
      {activity.running > 0 && <span class="fact">{counted(activity.running, "run")} going on</span>}
      {first !== undefined && (
        <button type="button" class="badge wait" onClick={() => onShow(first.session.id, first.row)}>
          <Icon name="wait" />
          {waiting.length === 1 ? "1 call waits for you" : `${waiting.length} calls wait for you`}
        </button>
      )}
      {input + output > 0 && (
        <span class="fact usage" title={activity.isComplete ? undefined : "as far as it is known"}>
          {tokens(input)} tokens in · {tokens(output)} out{activity.isComplete ? "" : " so far"}
        </span>
      )}
    </header>
  );
}

function Connection({ source }: { readonly source: Source }): JSX.Element {
  const { status } = source;
  switch (status.kind) {
    case "connecting":
      return (
        <span class="fact" role="status">
          connecting …
        </span>
      );
    case "live":
      return (
        <span class="badge good" role="status">
          <Icon name="live" />
          live
        </span>
      );
    case "file":
      return (
        <span class="fact" role="status">
          recorded: <Line text={status.name} />
        </span>
      );
    case "lost":
      return (
        <span class="badge wait" role="status">
          <Icon name="broken" />
          connection lost, trying again
          <button type="button" class="quiet" onClick={() => source.retry()}>
            Now
          </button>
        </span>
      );
    case "refused":
      return (
        <span class="badge bad" role="status">
          <Icon name="deny" />
          <Line text={`${status.why} ${status.remedy}`} />
        </span>
      );
  }
}
