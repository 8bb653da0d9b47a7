import type { Rung } from "./ladder.ts";
import type { OutputSpec } from "./output-spec.ts";
import type { RoundOffer, ToolChoice } from "./terminal-gate.ts";
import { responseFormat, terminalTool } from "./terminal-tool.ts";

/** What every round is asked with. */
export interface WorkRound {
  readonly toolName: string;
  readonly round: number;
  /** True to ask for the provider's strict mode. */
  readonly strict: boolean;
}

/** The round of a working turn: everything is offered, nothing forced. */
export function workOffer(spec: OutputSpec<unknown>, { toolName, round, strict }: WorkRound): RoundOffer {
  const terminal = terminalTool(spec, toolName, strict);
  return { kind: "round", round, tools: "all", terminal, choice: { type: "auto" } };
}

/** How an answer is demanded. */
export interface AskRound extends WorkRound {
  readonly rung: Rung;
  /** True to keep the host's tools in the list, so that the request's prefix stays the same. */
  readonly keepTools: boolean;
}

/** The round that demands the answer in the way of its rung. */
export function askOffer(spec: OutputSpec<unknown>, ask: AskRound): RoundOffer {
  const { toolName, round, rung, keepTools, strict } = ask;
  const terminal = terminalTool(spec, toolName, strict);
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
      const format = responseFormat(spec, toolName, strict);
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
