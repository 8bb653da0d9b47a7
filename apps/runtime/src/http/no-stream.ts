import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcCaller } from "../rpc/rpc-method.ts";

/** A call over HTTP has no way to be sent events by: they have a stream of their own. */
export const noStream: RpcCaller["feed"] = {
  follow: refuse,
  unfollow: refuse,
};

function refuse(): never {
  throw new RpcError("unavailable", "a call over HTTP is sent no events: follow them with GET /events", {
    kind: "no_stream",
    retry: "never",
  });
}
