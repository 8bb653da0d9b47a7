import { useMemo } from "preact/hooks";
import { callDetail, type CallDetail } from "../state/call-detail.ts";
import type { EventStore } from "../state/event-store.ts";
import type { CallNode, Model } from "../state/model.ts";
import type { RowNode } from "../state/row-key.ts";
import type { Source } from "../stream/source.ts";

/** What a tab is given. */
export interface TabProps<Node extends RowNode = RowNode> {
  readonly node: Node;
  readonly model: Model;
  readonly store: EventStore;
  readonly source: Source;
  /** Shows another row, by its session and key. */
  readonly onShow: (session: string, row: string | undefined) => void;
}

/** The events of a call, read again after each change. */
export function useCall({ node, store }: TabProps<CallNode>): CallDetail {
  return useMemo(() => callDetail(store, node), [store, node, node.events.length, store.again.size]);
}
