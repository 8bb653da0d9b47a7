import type { MessageFacts } from "../transcript-shape.ts";
import { kindOfItem, openAiAgentsShape, type AgentItem } from "../shapes/openai-agents-shape.ts";

/** Items as rows: neighbours of the model, and results that stand beside each other, are one row each. */
export function rowsOf<Item extends AgentItem>(items: readonly Item[]): Item[][] {
  const rows: Item[][] = [];
  for (const item of items) {
    const kind = kindOfItem(item);
    const last = rows.at(-1);
    const isGroup = kind === "assistant" || kind === "tool";
    if (isGroup && last !== undefined && kindOfItem(last[0]!) === kind) last.push(item);
    else rows.push([item]);
  }
  return rows;
}

/** The last length at or below `most` with nothing open: what is behind it can be written anew. */
export function settledBefore(rows: readonly (readonly AgentItem[])[], most: number): number {
  const open = new Set<string>();
  let settled = 0;
  for (const [index, row] of rows.slice(0, most).entries()) {
    const { opens = [], closes = [] } = openAiAgentsShape.inspect(row) as Partial<MessageFacts>;
    for (const key of closes) open.delete(key);
    for (const key of opens) open.add(key);
    if (open.size === 0) settled = index + 1;
  }
  return settled;
}
