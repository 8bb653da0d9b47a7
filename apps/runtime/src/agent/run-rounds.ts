import type { AssistantMessage, ModelMessage } from "../providers/model.ts";
import type { HostStore } from "../store/host-store.ts";
import { askModel, type RoundAnswer, type RoundOffer } from "./ask-model.ts";
import { dispatchRound, type RoundPorts } from "./dispatch-round.ts";
import type { ParkedCall } from "./heal-session.ts";
import { loadTranscript } from "./load-transcript.ts";
import { queueCalls, readArguments } from "./queued-call.ts";
import type { RunContext } from "./run-context.ts";
import { endedBy, type RunEnd } from "./run-end.ts";
import { callIdsOf, callsOf, storable, textOf, withFreshCallIds } from "./tool-message.ts";
import type { NextStep, TurnDirector } from "./turn-director.ts";

/** What the rounds of a turn start from. */
export interface Rounds {
  readonly store: HostStore;
  readonly parked: readonly ParkedCall[];
  readonly prompt: string | undefined;
  readonly director: TurnDirector;
  readonly ports: RoundPorts;
}

/** How the rounds ended, and the last text that the model wrote. */
export interface RoundsEnd {
  readonly end: RunEnd;
  readonly text: string;
}

/** Asks, commits, dispatches, until the turn's director says that it ends. */
export async function runRounds(run: RunContext, rounds: Rounds): Promise<RoundsEnd> {
  const { director } = rounds;
  const approvalId = await begin(run, rounds);
  if (approvalId !== undefined) return { end: { outcome: "parked", approvalId }, text: "" };
  let text = "";
  for (;;) {
    run.signal.throwIfAborted();
    const next = director.next(run);
    if (next.kind === "end") return { end: endedBy(next.stoppedBy), text };
    if (next.message !== undefined) await appendUser(run, next.message);
    const answered = await askOnce(run, rounds, next.offer);
    if (answered === undefined) continue;
    const { answer, row } = answered;
    text = textOf(answer.message) || text;
    const calls = queueCalls(run.scope.session, row, callsOf(answer.message));
    const step: NextStep =
      calls.length > 0 ? await director.calls(run, calls, answer) : await director.prose(run, answer);
    if (step.kind === "parked") return { end: { outcome: "parked", approvalId: step.approvalId }, text };
    if (step.kind === "end") return { end: { outcome: "completed" }, text };
  }
}

/** Opens the turn: delivers what was queued, appends the prompt, or takes up the calls that waited for an approval. */
async function begin(run: RunContext, { store, parked, prompt, ports }: Rounds): Promise<string | undefined> {
  if (parked.length === 0) await deliverQueued(run, store);
  if (prompt !== undefined) {
    await appendUser(run, prompt);
    return undefined;
  }
  await run.writer.update({
    runTurn: run.scope.run,
    ...(parked.length > 0 && { pendingApprovals: -parked.length }),
  });
  if (parked.length === 0) return undefined;
  const calls = parked.map((call) => ({ ...call, input: readArguments(call.inputJson) }));
  return (await dispatchRound(run, calls, ports)).parked;
}

/** Appends the inputs that wait for this session, such as a fork's first message: each exactly once. */
async function deliverQueued(run: RunContext, store: HostStore): Promise<void> {
  const { session, run: turnId } = run.scope;
  const { items } = await store.outbox.list({ sessionId: session, kind: "session.input" });
  for (const { id, payload } of items) {
    const { message } = payload as unknown as { readonly message: ModelMessage };
    const change = { turnId, runTurn: turnId, consumes: [id], queuedInputs: -1 };
    const { from } = await run.writer.append([message], change);
    run.emit("user_message", {
      row: from,
      text: typeof message.content === "string" ? message.content : JSON.stringify(message.content),
    });
  }
}

async function appendUser(run: RunContext, text: string): Promise<void> {
  const { from } = await run.writer.append([storable({ role: "user", content: text } as const)], {
    turnId: run.scope.run,
    runTurn: run.scope.run,
  });
  run.emit("user_message", { row: from, text });
}

/** One model round and its committed row; undefined when the provider refused and another way is to be tried. */
async function askOnce(
  run: RunContext,
  { store, director }: Rounds,
  offer: RoundOffer,
): Promise<{ answer: RoundAnswer; row: number } | undefined> {
  const messages = await loadTranscript(store, run.scope.session, run.signal);
  let answer: RoundAnswer;
  try {
    answer = await askModel(run, messages, offer);
  } catch (error) {
    if (!run.signal.aborted && director.refused(error)) return undefined;
    throw error;
  }
  const message = storable(withFreshCallIds(answer.message, callIdsOf(messages), run.writer.len));
  const row = await commitAnswer(run, message, answer);
  return { answer: { ...answer, message }, row };
}

/** An answer without any content is not a row that a provider would take back; it is counted and not kept. */
async function commitAnswer(
  run: RunContext,
  message: AssistantMessage,
  answer: RoundAnswer,
): Promise<number> {
  const { usage, finishReason } = answer;
  if (message.content.length === 0) {
    await run.writer.update({ usage });
    return run.writer.len;
  }
  const { from } = await run.writer.append([message], { turnId: run.scope.run, usage });
  run.emit("assistant_message", {
    row: from,
    text: textOf(message),
    calls: callsOf(message).map(({ toolCallId, toolName }) => ({
      tool_call_id: toolCallId,
      tool_name: toolName,
    })),
    finish_reason: finishReason,
  });
  return from;
}
