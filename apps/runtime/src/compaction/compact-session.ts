import { addUsage, emptyUsage, isBasisError, type TokenUsage } from "@basis/core";
import { estimatePrefix, headCharacters, tokensOf } from "./estimate-prefix.ts";
import { keepUsage } from "../agent/model/keep-usage.ts";
import type { Emit } from "../agent/run/run-context.ts";
import { wireUsage } from "../agent/run/run-usage.ts";
import type { SessionWriter } from "../agent/transcript/session-writer.ts";
import { storedMessage } from "../agent/transcript/storable.ts";
import type { EventData } from "../events/event-schema.ts";
import { summaryMessage, type SummaryFacts } from "../providers/summary-message.ts";
import type { HostStore } from "../store/host-store.ts";
import { redactionsOf } from "../store/prompt-calls.ts";
import { CompactionError } from "./compaction-error.ts";
import { planTail, type Keep } from "./compaction-plan.ts";
import { summaryForModel } from "./compaction-prompt.ts";
import { lastAsked, readContext, type ContextRow, type SessionContext } from "./read-context.ts";
import { summarise, type AskForSummary } from "./summarise.ts";
import { messageAsData } from "./transcript-as-data.ts";

/** Which compaction is wanted. */
export interface CompactionRequest {
  readonly trigger: EventData<"compaction_started">["trigger"];
  /** `quarter`: of the limit, or without one of what a request takes now. */
  readonly keep: Keep | "quarter";
  /** What a request has to stay below, in tokens. */
  readonly limit?: number | undefined;
}

/** The session at rest, and what a compaction works with. */
export interface CompactionPorts {
  readonly store: HostStore;
  readonly writer: Pick<SessionWriter, "head" | "len" | "append" | "update">;
  readonly member: string | undefined;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly ask: AskForSummary;
}

/** What a compaction comes to, or would. */
export interface CompactionOutline {
  /** Messages that the summary stands for, and those behind them that stay. */
  readonly summarised: number;
  readonly kept: number;
  readonly tokensBefore: number;
  /** Estimated; before there is a summary, without one. */
  readonly tokensAfter: number;
}

/** Longest summary that is of use, in tokens, and its part of what it stands for. */
const MAX_SUMMARY_TOKENS = 16_000;
/** Characters of messages that one request for a summary takes where nothing says how long the model reads. */
const PIECE_CHARACTERS = 400_000;
/** Longest message of the user that a summary repeats. */
const MAX_ASKED = 8_000;

interface Outline extends CompactionOutline {
  readonly context: SessionContext;
  /** Rows before it are summarised. */
  readonly start: number;
  /** Tokens that so many characters are, as the provider counted the last request. */
  readonly measure: (characters: number) => number;
  /** Characters that stay, without a summary. */
  readonly staying: number;
}

/**
 * What a compaction would come to; nothing is asked or written.
 *
 * @throws CompactionError `nothing_to_summarise`, `tail_too_large`.
 */
export async function outlineCompaction(
  ports: Pick<CompactionPorts, "store" | "signal"> & { readonly writer: Pick<SessionWriter, "head" | "len"> },
  request: Omit<CompactionRequest, "trigger">,
): Promise<Outline> {
  const { store, signal, writer } = ports;
  const session = { ...writer.head, len: writer.len };
  const context = await readContext(store, session, signal);
  const { tokens: tokensBefore } = await estimatePrefix(store, { session, length: session.len }, signal);
  const head = await headCharacters(store, session, signal);
  const sizes = (rows: readonly ContextRow[]): number => rows.reduce((sum, row) => sum + row.characters, 0);
  const all = head + sizes(context.rows) + (context.summary?.characters ?? 0);
  const scale = all === 0 ? 1 : Math.max(1, tokensBefore / Math.max(1, tokensOf(all)));
  const measure = (characters: number): number => Math.ceil(tokensOf(characters) * scale);
  const { keep, limit = tokensBefore } = request;
  const quarter = { unit: "tokens", count: Math.floor(limit / 4) } as const;
  const start = planTail(context.rows, keep === "quarter" ? quarter : keep, measure);
  if (start === undefined) throw nothingToSummarise(context.rows.length);
  const staying = head + sizes(context.rows.slice(start));
  const kept = context.rows.length - start;
  const tokensAfter = measure(staying);
  const outline = { summarised: context.rows[start]!.position, kept, tokensBefore, tokensAfter };
  refuseLarge(outline, request.limit);
  if (tokensAfter >= tokensBefore) throw nothingSaved(outline);
  return { ...outline, context, start, measure, staying };
}

/**
 * Summarises the beginning of a session and appends that as a row which requests begin with from now on. No row is changed.
 * Whatever fails, the session is as it was and its log says why.
 *
 * @throws CompactionError; ModelError; SessionError; the reason of an abort.
 */
export async function compactSession(
  ports: CompactionPorts,
  request: CompactionRequest,
): Promise<CompactionOutline & { readonly usage: TokenUsage }> {
  const { store, writer, emit } = ports;
  let usage = emptyUsage;
  const spend = (more: TokenUsage): void => {
    usage = addUsage(usage, more);
  };
  let begun = false;
  try {
    const generation = await redactionsOf(store, ports);
    const outline = await outlineCompaction(ports, request);
    const { context, tokensBefore } = outline;
    emit("compaction_started", {
      trigger: request.trigger,
      messages: context.rows.length,
      tokens: tokensBefore,
    });
    begun = true;
    const { text, facts } = await summaryOf(ports, { request, outline, spend });
    const { keepFrom } = facts;
    const row = storedMessage(summaryMessage(text, facts));
    if ((await redactionsOf(store, ports)) !== generation) throw redactedMeanwhile(writer.head.id);
    const { from, ids } = await writer.append([row], { usage, mark: { keepFrom, summarises: keepFrom } });
    const told = { summarised: keepFrom, kept: facts.kept };
    emit("compaction_finished", {
      row: from,
      message_id: ids[0]!,
      ...told,
      tokens_before: tokensBefore,
      tokens_after: facts.tokensAfter,
      usage: wireUsage(usage),
      text,
    });
    return { ...told, tokensBefore, tokensAfter: facts.tokensAfter, usage };
  } catch (error) {
    if (begun) await keepUsage(writer, usage);
    if (begun || request.trigger !== "asked")
      emit("compaction_failed", {
        trigger: request.trigger,
        code: isBasisError(error) ? error.code : ports.signal.aborted ? "aborted" : "internal",
        message: error instanceof Error ? error.message : String(error),
        usage: wireUsage(usage),
      });
    throw error;
  }
}

interface Summarising {
  readonly request: CompactionRequest;
  readonly outline: Outline;
  readonly spend: (usage: TokenUsage) => void;
}

async function summaryOf(
  ports: CompactionPorts,
  { request, outline, spend }: Summarising,
): Promise<{ readonly text: string; readonly facts: SummaryFacts }> {
  const { store, signal, writer, ask, member } = ports;
  const { context, start, measure, staying, tokensBefore, summarised: keepFrom, kept } = outline;
  const { summary, rows } = context;
  const gone = rows.slice(0, start);
  const { id } = writer.head;
  const { limit = tokensBefore } = request;
  const written = await summarise(ask, {
    sessionId: id,
    member,
    earlier: summary?.text,
    lines: gone.map(({ position, message }) => messageAsData(position, message)),
    pieceCharacters: request.trigger === "asked" ? PIECE_CHARACTERS : limit * 2,
    maxTokens: Math.min(MAX_SUMMARY_TOKENS, tokensBefore - outline.tokensAfter),
    spend,
  });
  signal.throwIfAborted();
  const isAsked = rows.slice(start).some(({ role }) => role === "user");
  const asked = isAsked ? undefined : await lastAsked(store, { id, before: keepFrom }, signal);
  const text = summaryForModel(written, asked?.slice(0, MAX_ASKED));
  const tokensAfter = measure(staying + text.length);
  const answers = (summary?.answers ?? 0) + gone.filter(({ role }) => role === "assistant").length;
  refuseLarge({ ...outline, tokensAfter }, request.limit);
  return { text, facts: { keepFrom, answers, kept, tokensBefore, tokensAfter } };
}

function redactedMeanwhile(session: string): CompactionError {
  return new CompactionError(
    "redacted_meanwhile",
    "the summary was thrown away: something in the store was redacted while it was written, and it may repeat that; compact the session once more",
    { session },
  );
}

function nothingToSummarise(messages: number): CompactionError {
  return new CompactionError(
    "nothing_to_summarise",
    messages === 0
      ? "there is nothing to summarise: the session has no messages"
      : `there is nothing to summarise: all ${messages} messages behind the last summary are to be kept; keep fewer (--keep 1, or --keep 10messages)`,
    { messages },
  );
}

function nothingSaved({ summarised, kept, tokensBefore, tokensAfter }: CompactionOutline): CompactionError {
  return new CompactionError(
    "nothing_to_summarise",
    `there is nothing to save: about ${tokensAfter} of ${tokensBefore} tokens are system text, tools and the newest ${kept} messages, which stay`,
    { messages: summarised },
  );
}

function refuseLarge({ kept, tokensAfter }: CompactionOutline, limit: number | undefined): void {
  if (limit === undefined || tokensAfter < limit) return;
  throw new CompactionError(
    "tail_too_large",
    `the newest ${kept} messages, which have to stay, are about ${tokensAfter} tokens, and no more than ${limit} are to be sent: take a model that reads more and raise --compact-at, or fork the session before them`,
    { messages: kept, tokens: tokensAfter, limit },
  );
}
