import type { TokenUsage } from "@basis/core";
import type { WriteResult } from "@mobkit/session";
import { whenThere, type Later } from "../../events/event-log.ts";
import { imagesIn, keepFiles, toldImages } from "../../images/kept-image.ts";
import type { AssistantMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { askModel, type RoundAnswer, type RoundOffer } from "../model/ask-model.ts";
import { clearAccount } from "./kept-account.ts";
import { appendUser } from "./open-turn.ts";
import { queueCalls, type QueuedCall } from "../calls/queued-call.ts";
import type { RunContext, Told } from "../run/run-context.ts";
import { endedBy, type RunEnd } from "./run-end.ts";
import { RunCompaction } from "./run-compaction.ts";
import { storedMessage, type StoredMessage } from "../transcript/storable.ts";
import {
  callsOf,
  textOf,
  withFreshCallIds,
  type StoredCall,
  type UsedCallIds,
} from "../transcript/tool-message.ts";
import type { Transcript } from "../transcript/transcript.ts";
import type { TurnDirector } from "./turn-director.ts";
import type { AppendChange } from "../transcript/write-request.ts";

/** What the rounds of a turn need beside the run. */
export interface Rounds {
  readonly store: HostStore;
  readonly transcript: Transcript;
  readonly director: TurnDirector;
  /** Told every text that the model wrote. */
  hear(text: string): void;
}

/** Asks, commits, dispatches, until the turn's director says that it ends. */
export async function runRounds(
  run: RunContext,
  { store, transcript, director, hear }: Rounds,
): Promise<RunEnd> {
  const compaction = new RunCompaction(run, { store, transcript });
  for (;;) {
    run.ending.throwIfAborted();
    const next = director.next(run);
    if (next.kind === "end") return endedBy(next);
    if (next.message !== undefined) await appendUser(run, next.message);
    const answer = await askOnce(run, transcript, { offer: next.offer, director, compaction });
    if (answer === undefined) continue;
    const text = textOf(answer.message);
    if (text !== "") hear(text);
    const committed = commitAnswer(run, answer, { director, store });
    const calls = committed instanceof Promise ? await committed : committed;
    const stepped = calls.length > 0 ? director.calls(run, calls, answer) : director.prose(run, answer);
    const step = stepped instanceof Promise ? await stepped : stepped;
    // What is written for good, lease freed, is no longer rolled back.
    if (!run.writer.freed) run.ending.throwIfAborted();
    if (step.kind === "parked") return { outcome: "parked", approvalId: step.approvalId };
    if (step.kind === "end") return endedBy(step);
  }
}

type StoredAnswer = RoundAnswer & {
  readonly message: StoredMessage<AssistantMessage>;
  /** Of the blobs in which its files are. */
  readonly digests: readonly string[];
};

interface Question {
  readonly offer: RoundOffer;
  readonly director: TurnDirector;
  readonly compaction: RunCompaction;
}

/** One model round; undefined when the provider refused and another way is to be tried. */
async function askOnce(
  run: RunContext,
  transcript: Transcript,
  question: Question,
): Promise<StoredAnswer | undefined> {
  const { offer, director, compaction } = question;
  try {
    const known = compaction.messages();
    const messages = known instanceof Promise ? await known : known;
    const asked = messages.length;
    const answer = await askModel(run, messages, followingFresh(offer, transcript.callIds));
    compaction.answered(answer, asked);
    const fresh = withFreshCallIds(answer.message, transcript.callIds, run.writer.len);
    const { usage, finishReason } = answer;
    const kept = keepFiles(fresh, run.blobs);
    const { message, digests } = kept instanceof Promise ? await kept : kept;
    return { message: storedMessage(message), usage, finishReason, digests };
  } catch (error) {
    if (!run.ending.aborted && (await compaction.shortens(error))) {
      offer.reader?.restart();
      return askOnce(run, transcript, question);
    }
    if (!run.ending.aborted && director.refused(error)) return undefined;
    throw error;
  }
}

/** A call whose id was used before gets another in its row, so nobody could say later which call was followed. */
function followingFresh(offer: RoundOffer, used: UsedCallIds): RoundOffer {
  const { reader } = offer;
  if (reader === undefined) return offer;
  const isTaken = (id: string): boolean => used === "unknown" || used.has(id);
  const input: typeof reader.input = (piece) =>
    isTaken(piece.toolCallId) ? "continue" : reader.input(piece);
  const call: typeof reader.call = (made) => {
    if (!isTaken(made.toolCallId)) reader.call(made);
  };
  return { ...offer, reader: { ...reader, input, call } };
}

/** What a turn's last row changes with it: it closes the turn, and frees the lease where nothing is left to be written. */
function lastChange({ scope, writer }: RunContext, usage: TokenUsage, store: HostStore): Later<AppendChange> {
  return whenThere(clearAccount(store, scope.session), (sideState) => ({
    turnId: scope.run,
    usage,
    runTurn: null,
    sideState,
    release: writer.head.pendingApprovals === 0,
  }));
}

/**
 * Commits the row, and only then names its calls. An answer without any content is not a row that a provider would
 * take back; it is counted and not kept.
 */
function commitAnswer(
  run: RunContext,
  answer: StoredAnswer,
  { director, store }: Pick<Rounds, "director" | "store">,
): Later<readonly QueuedCall[]> {
  const { message, usage, digests } = answer;
  const { writer, bounds, scope } = run;
  if (message.content.length === 0) return whenThere(writer.update({ usage }), () => NO_CALLS);
  const stored = callsOf(message);
  const append = (change: AppendChange): Later<readonly QueuedCall[]> =>
    whenThere(
      writer.append([message], digests.length > 0 ? { ...change, blobs: digests } : change),
      (written) => tellAnswer(run, answer, { stored, written }),
    );
  return director.endsWithProse && stored.length === 0
    ? whenThere(lastChange(run, usage, store), append)
    : whenThere(bounds.keepTokens(), () => append({ turnId: scope.run, usage }));
}

const NO_CALLS: readonly QueuedCall[] = [];

function tellAnswer(
  run: RunContext,
  { message, finishReason, digests }: StoredAnswer,
  { stored, written }: { readonly stored: readonly StoredCall[]; readonly written: WriteResult },
): readonly QueuedCall[] {
  const id = written.ids[0]!;
  const calls = queueCalls(run.scope.session, id, stored);
  const told: Told<"assistant_message"> = {
    row: written.from,
    message_id: id,
    text: textOf(message),
    calls: calls.map(({ toolCallId, toolName }) => ({ tool_call_id: toolCallId, tool_name: toolName })),
    finish_reason: finishReason,
  };
  if (digests.length > 0) told.images = toldImages(imagesIn(message));
  run.emit("assistant_message", told);
  for (const { callKey, toolCallId, toolName, input } of calls)
    run.emit("tool_queued", {
      call_key: callKey,
      tool_call_id: toolCallId,
      tool_name: toolName,
      input: input as never,
    });
  return calls;
}
