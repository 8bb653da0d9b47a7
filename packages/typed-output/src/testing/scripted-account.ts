import { addUsage, emptyUsage, type TokenUsage, type ToolCall } from "@basis/core";
import type { RefusedCall, RoundOffer } from "../terminal-gate.ts";
import type { ScriptedRequest, ScriptedRound, TranscriptRow } from "./script.ts";

/** What a scripted host keeps: requests, transcript, usage, the tools that ran. */
export class ScriptedAccount {
  readonly requests: ScriptedRequest[] = [];
  readonly transcript: TranscriptRow[] = [];
  readonly executed: string[] = [];
  /** Of the current run. */
  usage: TokenUsage = emptyUsage;
  /** The last text of the current run. */
  text = "";

  /** Starts a run; answers the number of its first row. */
  begin(prompt: string): number {
    const from = this.transcript.length;
    this.usage = emptyUsage;
    this.text = "";
    this.transcript.push({ role: "user", text: prompt });
    return from;
  }

  /** Notes a request, and commits what was to be said before it. */
  ask(offer: RoundOffer, hostTools: readonly string[]): void {
    if (offer.message !== undefined) this.transcript.push({ role: "user", text: offer.message });
    const terminal = offer.terminal ? [offer.terminal.name] : [];
    const tools = offer.tools === "all" ? [...hostTools, ...terminal] : terminal;
    this.requests.push({ offer, tools });
  }

  reply({ usage, text = "" }: ScriptedRound, calls: readonly ToolCall[]): void {
    this.usage = addUsage(this.usage, usage ?? {});
    this.text = text;
    this.transcript.push({ role: "assistant", text, callIds: calls.map((call) => call.toolCallId) });
  }

  /** Commits results. */
  settle(results: readonly RefusedCall[]): void {
    for (const { call, result } of results) {
      this.transcript.push({ role: "tool", callId: call.toolCallId, ...result });
    }
  }

  /** Takes a cancelled run's rows away again. */
  rollBack(from: number): void {
    this.transcript.length = from;
  }
}
