import type { Rung } from "./ladder.ts";
import type { RoundOffer, ToolChoice } from "./terminal-gate.ts";
import type { ResponseFormat, TerminalTool } from "./terminal-tool.ts";

/** The round of a working turn: everything is offered, nothing forced. */
export function workOffer(terminal: TerminalTool, round: number): RoundOffer {
  return { kind: "round", round, tools: "all", terminal, choice: { type: "auto" } };
}

/** How an answer is demanded. */
export interface AskRound {
  readonly round: number;
  readonly rung: Rung;
  /** True to keep the host's tools in the list, so that the request's prefix stays the same. */
  readonly keepTools: boolean;
  /** What the text is held to; for `native`. */
  readonly format: ResponseFormat | undefined;
}

/** The round that demands the answer in the way of its rung. */
export function askOffer(terminal: TerminalTool, ask: AskRound): RoundOffer {
  const { round, rung, keepTools, format } = ask;
  const kind = "round";
  const byTool = (choice: ToolChoice, tools: "all" | "terminal"): RoundOffer => ({
    kind,
    round,
    rung,
    tools,
    terminal,
    choice,
  });
  switch (rung) {
    case "tool":
      return byTool({ type: "tool", toolName: terminal.name }, keepTools ? "all" : "terminal");
    case "required":
      return byTool({ type: "required" }, "terminal");
    case "auto":
      return byTool({ type: "auto" }, "terminal");
    case "native": {
      const text: RoundOffer = {
        kind,
        round,
        rung,
        tools: "none",
        choice: { type: "none" },
        format: format!,
      };
      return keepTools ? { ...text, tools: "all", terminal } : text;
    }
    case "prompted":
      return { kind, round, rung, tools: "none", choice: { type: "none" } };
    default:
      return rung satisfies never;
  }
}
