import type { SessionChange } from "@mobkit/session";
import { whenThere, type Later } from "../../events/event-log.ts";
import { imagesIn, keepPrompt, toldImages } from "../../images/kept-image.ts";
import type { Prompt, PromptInput } from "../../images/prompt.ts";
import type { ModelMessage, UserMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { writeWithHead, type HeadChange } from "../model/build-request.ts";
import { clearAccount } from "./kept-account.ts";
import { dispatchRound, type RoundPorts } from "../calls/dispatch-round.ts";
import { lastRow } from "../transcript/last-row.ts";
import type { ParkedCall } from "./heal-session.ts";
import { readArguments } from "../calls/queued-call.ts";
import type { RunContext, Told } from "../run/run-context.ts";
import { storable, storedMessage, type StoredMessage } from "../transcript/storable.ts";
import { toldUser } from "../transcript/told-message.ts";

/** What a turn opens with. */
export interface TurnOpening {
  readonly store: HostStore;
  readonly ports: RoundPorts;
  readonly prompt: PromptInput | undefined;
  /** The calls that wait for an approval; none beside a prompt. */
  readonly parked: readonly ParkedCall[];
}

/** Asked to go on, in a session that has come to its end. */
export class NothingWaitsError extends Error {
  override readonly name = "NothingWaitsError";

  constructor() {
    super("the session waits for nothing: say what to do next");
  }
}

/** Appends the inputs that wait for this session, such as a fork's first message: each exactly once. Answers how many. */
export async function deliverQueued(run: RunContext, store: HostStore): Promise<number> {
  if (run.writer.head.queuedInputs === 0) return 0;
  const { session, run: turnId } = run.scope;
  const { items } = await store.outbox.list({ sessionId: session, kind: "session.input" });
  for (const { id, payload } of items) {
    const { message } = payload as unknown as { readonly message: ModelMessage };
    const change = { turnId, runTurn: turnId, consumes: [id], queuedInputs: -1 };
    const { from, ids } = await run.writer.append([storedMessage(message)], change);
    run.emit("user_message", { row: from, message_id: ids[0]!, ...toldUser(message) });
  }
  return items.length;
}

/**
 * Opens the turn: appends the prompt, or takes up the calls that waited for an approval, or goes on at an unanswered
 * message. Answers the approval that the turn still waits for, if any.
 *
 * @throws NothingWaitsError
 */
export function openTurn(run: RunContext, opening: TurnOpening): Later<string | undefined> {
  const { store, prompt } = opening;
  if (prompt === undefined) return goOn(run, opening);
  const { runTurn, openCalls } = run.writer.head;
  // A turn that died has left its account, which is not this one's.
  const isLeft = runTurn !== null || openCalls.length > 0;
  return whenThere(isLeft ? clearAccount(store, run.scope.session) : undefined, (sideState) =>
    whenThere<string | SaidWithImages, undefined>(
      typeof prompt === "string" ? prompt : saidWithImages(prompt, store),
      (said) =>
        writeWithHead(run, store, ({ requestHead }) => appendUser(run, said, { requestHead, sideState })),
    ),
  );
}

async function goOn(run: RunContext, opening: TurnOpening): Promise<string | undefined> {
  const { store, ports, parked } = opening;
  if (parked.length === 0 && !(await isUnanswered(store, run))) throw new NothingWaitsError();
  const { pendingApprovals } = await store.head(run.scope.session);
  const opened = { runTurn: run.scope.run, pendingApprovals: -pendingApprovals };
  await writeWithHead(run, store, (change) => run.writer.update({ ...change, ...opened }));
  if (parked.length === 0) return undefined;
  const calls = parked.map((call) => ({ ...call, input: readArguments(call.inputJson) }));
  return (await dispatchRound(run, calls, ports)).parked;
}

type OpeningChange = Partial<HeadChange> & Pick<SessionChange<never>, "sideState">;

/** A message whose images are in the store. */
interface SaidWithImages {
  readonly text: string;
  readonly message: StoredMessage<UserMessage>;
  readonly digests: readonly string[];
}

async function saidWithImages(prompt: Prompt, { blobs }: HostStore): Promise<SaidWithImages> {
  const { content, digests } = await keepPrompt(prompt, blobs);
  return { text: prompt.text, message: storedMessage({ role: "user", content }), digests };
}

/** Appends what the user says, or what the host says in the user's place. */
export function appendUser(
  run: RunContext,
  said: string | SaidWithImages,
  change: OpeningChange = {},
): Later<undefined> {
  const { run: turnId } = run.scope;
  const { requestHead, sideState } = change;
  const isText = typeof said === "string";
  const message = isText ? storedMessage<UserMessage>({ role: "user", content: said }) : said.message;
  const appended = run.writer.append([message], {
    turnId,
    runTurn: turnId,
    requestHead,
    sideState,
    blobs: isText ? undefined : said.digests,
  });
  return whenThere(appended, ({ from, ids }) => {
    const text = storable(isText ? said : said.text);
    const told: Told<"user_message"> = { row: from, message_id: ids[0]!, text };
    if (!isText) told.images = toldImages(imagesIn(message));
    run.emit("user_message", told);
    return undefined;
  });
}

/** Asks for the answer once more that nobody came to judge: its process died before. */
export function askAgain(run: RunContext): Later<undefined> {
  return appendUser(run, "Your last answer did not arrive. Give it again.");
}

async function isUnanswered(store: HostStore, { scope, writer }: RunContext): Promise<boolean> {
  const last = await lastRow(store, scope.session, writer.len);
  return last?.body.role === "user" || last?.body.role === "tool";
}
