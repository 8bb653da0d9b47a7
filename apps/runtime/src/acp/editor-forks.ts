import { newId } from "@basis/core";
import type { ForkMemberOptions, ForkResult } from "@mobkit/fork";
import { z } from "zod";
import type { Runtime } from "../compose.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { EditorSessions } from "./editor-sessions.ts";
import { findEditorSession, requireFolder, unknownSession } from "./session-facts.ts";
import { realFolder } from "./session-place.ts";

/** The protocol's method, not part of its stable version. */
export const FORK_METHOD = "session/fork";

const server = z.union([
  z.object({ type: z.enum(["http", "sse"]), name: z.string(), url: z.string(), headers: z.array(named()) }),
  z.object({ name: z.string(), command: z.string(), args: z.array(z.string()), env: z.array(named()) }),
]);

/** What `session/fork` takes; `_meta.basis.at` is where: a count of messages, `settled`, a message or a turn. */
export const forkParams = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  mcpServers: z.array(server).nullish(),
  additionalDirectories: z.array(z.string()).nullish(),
  _meta: z
    .object({
      basis: z
        .strictObject({
          at: z
            .int()
            .or(z.literal("settled"))
            .or(z.strictObject({ message_id: z.string() }))
            .or(z.strictObject({ turn_id: z.string() }))
            .optional(),
        })
        .optional(),
    })
    .nullish(),
});

/** The parameters of a fork. */
export type ForkParams = z.output<typeof forkParams>;

/**
 * Forks a session at its end, or where `_meta.basis.at` says, and opens the fork.
 *
 * @throws ForkError where the point lies between a call and its result, and for every other reason of a fork.
 */
export async function forkForEditor(
  runtime: Runtime,
  sessions: EditorSessions,
  { params, signal }: { readonly params: ForkParams; readonly signal: AbortSignal },
): Promise<{ readonly sessionId: string; readonly _meta: object }> {
  const { sessionId, _meta: meta } = params;
  if (sessions.isUnstored(sessionId)) throw unknownSession(sessionId);
  const record = await findEditorSession(runtime.state, sessionId);
  const source = record.binding && (await runtime.state.store.members.get(record.binding.member));
  if (!source)
    throw new RpcError("unavailable", "no member sits on this session", { kind: "session_unavailable" });
  await requireFolder(runtime.state, record, realFolder(params));
  const at = pointOf(meta?.basis?.at);
  const spec = { identity: `${source.member}-${newId().slice(-8)}`, role: source.role };
  let result: ForkResult | undefined;
  await sessions.openMade(params, async () => {
    result = await runtime.fork(source.member, spec, { ...(at !== undefined && { at }), signal });
    return result.sessionId;
  });
  const { sessionId: fork, operationId: operation_id, memberAlias: member, messageCount } = result!;
  return { sessionId: fork, _meta: { basis: { operation_id, member, message_count: messageCount } } };
}

function pointOf(at: NonNullable<NonNullable<ForkParams["_meta"]>["basis"]>["at"]): ForkMemberOptions["at"] {
  if (typeof at !== "object") return at;
  return "message_id" in at ? { messageId: at.message_id } : { turnId: at.turn_id };
}

function named() {
  return z.object({ name: z.string(), value: z.string() });
}
