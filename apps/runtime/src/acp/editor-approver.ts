import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { visibleText, type ApprovalSubject, type Approver, type ApproverAnswer } from "@basis/approval";
import { isJsonObject, newId, type JsonValue } from "@basis/core";
import { fieldLines } from "../approvals/terminal-approver.ts";
import type { HostStore } from "../store/host-store.ts";
import { secrets } from "../secrets/secrets.ts";
import type { TurnUpdates } from "./turn-updates.ts";

/** A session that an editor drives, while a turn of it runs. */
export interface AskedSession {
  readonly sessionId: string;
  readonly updates: TurnUpdates;
}

/** What the approver needs of the connection. */
export interface Asking {
  readonly store: HostStore;
  /** The session in which a turn runs; undefined for any other. */
  turnOf(sessionId: string): AskedSession | undefined;
  /** Tells the editor whatever is behind, so that it knows the call. */
  catchUp(): unknown;
  /** Asks; rejects when the signal aborts or the editor is gone. */
  ask(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
}

/** Delegations above a call that are looked at for the session of the editor. */
const MAX_DEPTH = 32;

/**
 * Asks the person at the editor about one call. Each question has options of its own, which carry the call's digest: an
 * answer to another question, one that comes late and one that is not known allow nothing. Only this one call is ever
 * granted; whatever is no such grant denies.
 */
export class EditorApprover implements Approver {
  readonly name = "the person at the editor";
  #asking: Asking | undefined;

  /** Connects it; until then every call is denied. */
  connect(asking: Asking): void {
    this.#asking = asking;
  }

  async approve(
    subject: ApprovalSubject,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ApproverAnswer> {
    const asking = this.#asking;
    if (asking === undefined) return denied("no editor is connected");
    const session = await askedSession(asking, subject.sessionId);
    if (session === undefined) return denied("no editor has this session open");
    await session.updates.diffs.expect(subject.input);
    await asking.catchUp();
    signal.throwIfAborted();
    const nonce = newId();
    const allow = `allow_once:${subject.digest}:${nonce}`;
    const reject = `reject_once:${subject.digest}:${nonce}`;
    const { outcome } = await asking.ask(question(session, subject, { allow, reject }), signal);
    if (outcome.outcome !== "selected") return denied("the question was put away unanswered");
    if (outcome.optionId === allow) return { decision: "allow" };
    return denied(
      outcome.optionId === reject ? "the person at the editor refused" : "the answer was none of the options",
    );
  }
}

function denied(reason: string): ApproverAnswer {
  return { decision: "deny", reason };
}

/** The editor's session that a call belongs to: its own, or the one whose delegation it comes from. */
async function askedSession(
  asking: Asking,
  sessionId: string | undefined,
): Promise<AskedSession | undefined> {
  let at = sessionId;
  for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth += 1) {
    const found = asking.turnOf(at);
    if (found !== undefined) return found;
    at = (await asking.store.head(at)).spawnedBy?.sessionId;
  }
  return undefined;
}

function question(
  { sessionId, updates }: AskedSession,
  subject: ApprovalSubject,
  { allow, reject }: { readonly allow: string; readonly reject: string },
): RequestPermissionRequest {
  const { toolName, preview, agentId, sideEffectLevel, digest, callKey } = subject;
  // Before anything is cut: half a secret is found by nobody.
  const input = secrets.redactJson(subject.input);
  const view = updates.view(toolName, input);
  const diff = view.kind === "edit" ? updates.diffs.of(subject.input) : undefined;
  const fields = fieldLines(preview ?? (diff ? besideDifference(input) : input));
  // Editors read text as Markdown, which leaves parts of it out, but for what is fenced: no line of a field is a fence.
  const fenced = fields.length === 0 ? [] : ["```", ...fields, "```"];
  const text = [`${visibleText(agentId)} · ${sideEffectLevel}`, ...fenced].join("\n");
  return {
    sessionId,
    toolCall: {
      toolCallId: updates.callId(callKey) ?? callKey,
      ...view,
      status: "pending",
      rawInput: input,
      content: [...(diff ? [diff] : []), { type: "content", content: { type: "text", text } }],
    },
    options: [
      { optionId: allow, name: allowWords[sideEffectLevel], kind: "allow_once" },
      { optionId: reject, name: "Refuse", kind: "reject_once" },
    ],
    _meta: { basis: { digest, level: sideEffectLevel, agent: agentId } },
  };
}

/** What the difference of a write does not show: other fields, and a text in which something is hidden. */
function besideDifference(input: JsonValue): JsonValue {
  if (!isJsonObject(input)) return input;
  const { path: _path, content, ...others } = input;
  return typeof content === "string" && hidesSomething(content) ? { ...others, content } : others;
}

/** Control, bidirectional or invisible characters other than line ends and tabs, which editors draw. */
function hidesSomething(text: string): boolean {
  const plain = text.replace(/\r?\n|[\t ]/g, "");
  return visibleText(plain, { maxChars: Infinity }) !== plain;
}

const allowWords: Readonly<Record<ApprovalSubject["sideEffectLevel"], string>> = {
  none: "Allow this call",
  local_state: "Allow this change",
  process: "Allow it to start this program",
  external: "Allow it to reach outside",
};
