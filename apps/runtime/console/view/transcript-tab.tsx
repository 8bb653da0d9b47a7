import type { JSX } from "preact";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { nameOf } from "../state/lineage.ts";
import type { SessionNode } from "../state/model.ts";
import { beginningOf, forkPoints, messagesOf, type Message } from "../state/transcript.ts";
import type { RowNode } from "../state/row-key.ts";
import { ForkAction } from "./actions/fork-action.tsx";
import type { TabProps } from "./tab.ts";
import { resultOf, saidIn } from "../state/short-text.ts";
import { Line, Value } from "./text.tsx";

/** How many messages are shown at once. */
const MAX_MESSAGES = 200;

/** The messages of a session, those that a fork took along among them. */
export function TranscriptTab({ node, store, source, onShow }: TabProps): JSX.Element {
  const session = sessionOfNode(node);
  const messages = messagesOf(session);
  const from = beginningOf(store, messages, Math.max(0, messages.length - MAX_MESSAGES));
  const shown = messages.slice(from);
  const points = forkPoints(store, shown);
  return (
    <>
      {from > 0 && (
        <p class="hint">
          The last {shown.length} of {messages.length} messages.
        </p>
      )}
      <ol class="messages" start={from + 1}>
        {shown.map((message, index) => (
          <MessageItem
            key={message.row}
            message={message}
            fork={<ForkAction source={source} session={session} point={points[index]!} onShow={onShow} />}
            event={store.event(message.session.id, message.seq)}
          />
        ))}
      </ol>
      {messages.length === 0 && <p class="hint">Nothing was said yet.</p>}
    </>
  );
}

/** The session that a row belongs to. */
export function sessionOfNode(node: RowNode): SessionNode {
  switch (node.kind) {
    case "session":
    case "run":
    case "note":
      return node.session;
    case "round":
    case "folded":
      return node.run.session;
    case "call":
      return node.round.run.session;
    case "fork":
      return node.source;
  }
}

interface MessageProps {
  readonly message: Message;
  readonly event: BasisEvent | undefined;
  /** What forks the session behind it. */
  readonly fork: JSX.Element;
}

function MessageItem({ message, event, fork }: MessageProps): JSX.Element {
  return (
    <li class={message.inherited ? "message inherited" : "message"}>
      <header>
        <b>{message.row + 1}</b> <Line text={speakerOf(event)} />
        {message.inherited && <small> from {<Line text={nameOf(message.session)} />}</small>}
      </header>
      <Value value={said(event)} />
      {fork}
    </li>
  );
}

function speakerOf(event: BasisEvent | undefined): string {
  switch (event?.type) {
    case "user_message":
      return "user";
    case "compaction_finished":
      return "summary";
    case "assistant_message":
      return "model";
    case "tool_completed":
      return `result of ${event.data.tool_name}`;
    default:
      return "a message that is not held any more";
  }
}

function said(event: BasisEvent | undefined): unknown {
  switch (event?.type) {
    case "user_message":
      return saidIn(event.data);
    case "compaction_finished":
      return event.data.text;
    case "assistant_message": {
      const asked = event.data.calls.map(({ tool_name: name }) => name).join(", ");
      return [saidIn(event.data), asked === "" ? "" : `→ calls ${asked}`]
        .filter((part) => part !== "")
        .join("\n");
    }
    case "tool_completed":
      return resultOf(event.data);
    default:
      return "";
  }
}
