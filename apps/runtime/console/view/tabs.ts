import type { CallNode } from "../state/model.ts";
import type { RowNode } from "../state/row-key.ts";

/** The tabs of a row, by their names. */
export function tabsOf(node: RowNode): readonly string[] {
  switch (node.kind) {
    case "call":
      return [...callTabs(node), "Raw"];
    case "run":
      return ["Overview", ...(node.attempts.length > 0 ? ["Answers"] : []), "Transcript", "Usage", "Raw"];
    case "session":
    case "round":
      return ["Overview", "Transcript", "Usage", "Raw"];
    default:
      return ["Overview", "Raw"];
  }
}

function callTabs({ tool, childSession, pre, post, broken, attempt }: CallNode): readonly string[] {
  const isGuarded = pre !== undefined || post !== undefined || broken;
  const isChild = tool === "spawn" || childSession !== undefined;
  return [
    "Call",
    ...(isGuarded ? ["Hooks"] : []),
    ...(attempt === undefined ? [] : ["Answers"]),
    ...(isChild ? ["Child"] : []),
  ];
}
