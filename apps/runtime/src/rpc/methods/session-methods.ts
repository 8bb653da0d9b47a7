import { z } from "zod";
import { viewSession } from "../../store/session-view.ts";
import { findSession } from "../../store/find-session.ts";
import { takeItems } from "../page.ts";
import { defineMethod, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import { count, limit, word } from "./parameters.ts";

/** `sessions/list` and `sessions/read`. */
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
  ];
}
