import { z } from "zod";
import { findSession } from "../../store/find-session.ts";
import { takeItems } from "../page.ts";
import { RpcError } from "../rpc-error.ts";
import { defineMethod, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import { count, limit, word } from "./parameters.ts";

const after = count.default(0);

/** `events/read`, `events/subscribe` and `events/unsubscribe`. */
export function eventMethods({ runtime }: Pick<ServerHost, "runtime">): readonly RpcMethod[] {
  const { store, events } = runtime.state;
  return [
    defineMethod({
      name: "events/read",
      params: z.strictObject({ session: word, after, limit }),
      async call({ session, after: seen, limit: most }) {
        const { id } = await findSession(store, session);
        const { items, isWhole } = await takeItems(events.read(id, { after: seen }), most);
        return { events: items, next: isWhole ? null : items.at(-1)!.seq };
      },
    }),
    defineMethod({
      name: "events/subscribe",
      params: z.strictObject({ session: word, after }),
      async call({ session, after: seen }, { feed }) {
        const { id } = await findSession(store, session);
        return { ...(await feed.follow(id, seen)), session: id };
      },
    }),
    defineMethod({
      name: "events/unsubscribe",
      params: z.strictObject({ subscription: word }),
      urgent: true,
      call({ subscription }, { feed }) {
        if (!feed.unfollow(subscription))
          throw new RpcError("not_found", "this connection has no such subscription", {
            kind: "unknown_subscription",
          });
        return { subscription };
      },
    }),
  ];
}
