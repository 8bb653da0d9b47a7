import type { Rung } from "./ladder.ts";
import type { ShownSpec } from "./show-spec.ts";
import type { RoundOffer, ToolChoice } from "./terminal-gate.ts";
import { responseFormat, terminalTool } from "./terminal-tool.ts";

/** The round of a working turn: everything is offered, nothing forced. */
export function workOffer(spec: ShownSpec<unknown>, toolName: string, round: number): RoundOffer {
  const terminal = terminalTool(spec, toolName);
  return { kind: "round", round, tools: "all", terminal, choice: { type: "auto" } };
}

/** How an answer is demanded. */
export interface AskRound {
  readonly toolName: string;
  readonly round: number;
  readonly rung: Rung;
  /** True to keep the host's tools in the list, so that the request's prefix stays the same. */
  readonly keepTools: boolean;
}

/** The round that demands the answer in the way of its rung. */
export function askOffer(spec: ShownSpec<unknown>, ask: AskRound): RoundOffer {
  const { toolName, round, rung, keepTools } = ask;
  const terminal = terminalTool(spec, toolName);
  const byTool = (choice: ToolChoice, tools: "all" | "terminal"): RoundOffer => ({
    kind: "round",
    round,
    rung,
    tools,
    terminal,
    choice,
  });
  switch (rung) {
    case "tool":
      return byTool({ type: "tool", toolName }, keepTools ? "all" : "terminal");
    case "required":
      return byTool({ type: "required" }, "terminal");
    case "auto":
      return byTool({ type: "auto" }, "terminal");
    case "native": {
      const format = responseFormat(spec, toolName);
      const text: RoundOffer = {
        kind: "round",
        round,
        rung,
        tools: "none",
        choice: { type: "none" },
        format,
      };
      return keepTools ? { ...text, tools: "all", terminal } : text;
    }
    case "prompted":
      return { kind: "round", round, rung, tools: "none", choice: { type: "none" } };
    default:
      return rung satisfies never;
  }
}
