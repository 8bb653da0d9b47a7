import { z } from "zod";
import { viewSession } from "../../store/session-view.ts";
import { findSession } from "../../store/find-session.ts";
import type { Keep } from "../../compaction/compaction-plan.ts";
import { compactionWire } from "../../host/compaction-wire.ts";
import { takeItems } from "../page.ts";
import { defineMethod, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import { count, limit, word } from "./parameters.ts";

/** The longest delay that a timer can hold. */
const MAX_MS = 2_147_483_647;

const compactParams = z.strictObject({
  session: word,
  keep_turns: z.int().min(1).optional(),
  keep_messages: z.int().min(1).optional(),
  deadline_ms: z.int().min(1).max(MAX_MS).optional(),
  dry_run: z.boolean().default(false),
});

/** `sessions/list`, `sessions/read` and `sessions/compact`. */
export function sessionMethods({ runtime }: Pick<ServerHost, "runtime">): readonly RpcMethod[] {
  const { store } = runtime.state;
  return [
    defineMethod({
      name: "sessions/list",
      params: z.strictObject({ after: word.optional(), limit }),
      async call({ after, limit: most }, { signal }) {
        const page = await store.listSessions({ after, limit: most, signal });
        const sessions = await Promise.all(page.items.map((record) => viewSession(store, record)));
        return { sessions, next: page.next };
      },
    }),
    defineMethod({
      name: "sessions/read",
      params: z.strictObject({ session: word, from: count.default(0), limit }),
      async call({ session, from, limit: most }, { signal }) {
        const record = await findSession(store, session);
        const rows = store.read(record.id, { from, pageSize: Math.min(most + 1, 256), signal });
        const { items, isWhole } = await takeItems(rows, most);
        const messages = items.map(({ position, id, kind, body }) => ({ position, id, kind, message: body }));
        return {
          session: await viewSession(store, record),
          messages,
          next: isWhole ? null : from + items.length,
        };
      },
    }),
    defineMethod({
      name: "sessions/compact",
      params: compactParams.refine(
        ({ keep_turns, keep_messages }) => keep_turns === undefined || keep_messages === undefined,
        { path: ["keep_messages"], message: "goes without keep_turns" },
      ),
      async call({ session, dry_run, deadline_ms: deadlineMs, ...given }, { signal }) {
        const { id } = await findSession(store, session);
        const { previewCompaction } = await import("../../host/asked-compaction.ts");
        const request = { sessionId: id, keep: keepOf(given), deadlineMs, signal };
        const outline = dry_run
          ? await previewCompaction({ store }, request)
          : await runtime.compact(request);
        return { session: id, dry_run, ...compactionWire(outline) };
      },
    }),
  ];
}

function keepOf({
  keep_turns: turns,
  keep_messages: messages,
}: Pick<z.output<typeof compactParams>, "keep_turns" | "keep_messages">): Keep | undefined {
  if (turns !== undefined) return { unit: "turns", count: turns };
  return messages === undefined ? undefined : { unit: "messages", count: messages };
}
