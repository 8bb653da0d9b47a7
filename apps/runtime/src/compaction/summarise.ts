import type { TokenUsage } from "@basis/core";
import { tokensOf } from "./estimate-prefix.ts";
import { callsOf, textOf } from "../agent/transcript/tool-message.ts";
import type { AssistantMessage, FinishReason, ModelRequest } from "../providers/model.ts";
import { isModelError } from "../providers/model-error.ts";
import { CompactionError } from "./compaction-error.ts";
import { COMPACTION_AGENT, compactionSystem, summaryQuestion } from "./compaction-prompt.ts";

/** What the model answered to one request for a summary. */
export interface SummaryAnswer {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

/** Asks the model once, with whatever belongs around it: bounds, traces, cancel. */
export type AskForSummary = (request: ModelRequest) => Promise<SummaryAnswer>;

/** What is to be summarised. */
export interface SummaryWork {
  readonly sessionId: string;
  readonly member: string | undefined;
  /** The summary of what was before. */
  readonly earlier: string | undefined;
  /** Messages as data. */
  readonly lines: readonly string[];
  /** Most characters of messages that one request takes. */
  readonly pieceCharacters: number;
  /** Most tokens of a summary that is of use. */
  readonly maxTokens: number;
  /** Told what each answer used. */
  readonly spend: (usage: TokenUsage) => void;
}

/** Below this a request is not made smaller. */
const LEAST_CHARACTERS = 8_000;

/**
 * Summarises piece by piece, each with the summary of those before it, so that what is to be summarised may be longer than
 * the model reads. A piece that the provider refuses for its length is tried again by half.
 *
 * @throws CompactionError `summary_…`; ModelError; the reason of an abort.
 */
export async function summarise(ask: AskForSummary, work: SummaryWork): Promise<string> {
  let { earlier, pieceCharacters } = work;
  for (let at = 0; at < work.lines.length;) {
    const end = pieceEnd(work.lines, at, pieceCharacters);
    try {
      earlier = await askOnce(ask, { work, earlier, lines: work.lines.slice(at, end) });
      at = end;
    } catch (error) {
      if (!isModelError(error) || error.code !== "context_length") throw error;
      if (pieceCharacters / 2 < LEAST_CHARACTERS) throw error;
      pieceCharacters = Math.min(pieceCharacters, charactersIn(work.lines, at, end)) / 2;
    }
  }
  return earlier!;
}

/** At least one message, however long. */
function pieceEnd(lines: readonly string[], from: number, most: number): number {
  let end = from + 1;
  for (let size = lines[from]!.length; end < lines.length; end += 1) {
    size += lines[end]!.length;
    if (size > most) break;
  }
  return end;
}

function charactersIn(lines: readonly string[], from: number, to: number): number {
  return lines.slice(from, to).reduce((sum, line) => sum + line.length, 0);
}

interface Piece {
  readonly work: SummaryWork;
  readonly earlier: string | undefined;
  readonly lines: readonly string[];
}

async function askOnce(ask: AskForSummary, { work, earlier, lines }: Piece): Promise<string> {
  const { sessionId, member, maxTokens, spend } = work;
  const answer = await ask({
    agent: COMPACTION_AGENT,
    sessionId,
    ...(member !== undefined && { member }),
    system: compactionSystem,
    messages: [{ role: "user", content: summaryQuestion({ earlier, lines }) }],
    tools: [],
    toolChoice: { type: "none" },
  });
  spend(answer.usage);
  return checked(answer, maxTokens);
}

function checked({ message, finishReason }: SummaryAnswer, maxTokens: number): string {
  const [call] = callsOf(message);
  if (call !== undefined)
    throw new CompactionError(
      "summary_is_a_call",
      `the model called ${call.toolName} in place of a summary`,
      {
        tool: call.toolName,
      },
    );
  if (finishReason !== "stop" && finishReason !== "other")
    throw new CompactionError(
      "summary_cut_off",
      finishReason === "length"
        ? "the summary was cut off at the model's output limit"
        : `the provider ended the summary before its end (${finishReason})`,
      { finish: finishReason },
    );
  const text = textOf(message).trim();
  if (text === "")
    throw new CompactionError("summary_empty", "the model answered with an empty summary", {
      finish: finishReason,
    });
  const tokens = tokensOf(text.length);
  if (tokens > maxTokens)
    throw new CompactionError(
      "summary_too_long",
      `the summary is about ${tokens} tokens long; more than ${maxTokens} save too little`,
      { tokens, limit: maxTokens },
    );
  return text;
}
