import type { EventOf, FoldContext } from "./fold-context.ts";
import { sessionOf, type ForkNode, type Model } from "./model.ts";

type ForkEvent = EventOf<"fork_committed" | "fork_provisioned" | "fork_failed" | "fork_recovered">;

/** Takes in what concerns a fork. It is told in the log of its source. */
export function foldFork(context: FoldContext, event: ForkEvent): void {
  const fork = forkOf(context, event);
  if (event.seq !== undefined) fork.events.push(event.seq);
  fork.operation ??= event.data.operation_id;
  target(context.model, fork, event.data.fork_session);
  switch (event.type) {
    case "fork_committed":
      fork.count = event.data.message_count;
      return;
    case "fork_provisioned":
      fork.state = "seated";
      return;
    case "fork_recovered":
      fork.state = "seated";
      fork.recovered = true;
      return;
    case "fork_failed":
      fork.state = event.data.committed ? "unseated" : "refused";
      fork.message = event.data.message;
      return;
  }
}

/** A try that committed nothing has no operation: each is one of its own. */
function forkOf({ session, at }: FoldContext, event: ForkEvent): ForkNode {
  const { operation_id: operation, member } = event.data;
  const key = operation ?? `${session.id}/${event.seq ?? `try${session.forks.size}`}`;
  const known = session.forks.get(key);
  if (known !== undefined) return known;
  const fork: ForkNode = {
    kind: "fork",
    key,
    source: session,
    member,
    at,
    operation,
    target: undefined,
    count: undefined,
    state: "committed",
    recovered: false,
    message: undefined,
    events: [],
  };
  session.forks.set(key, fork);
  return fork;
}

function target(model: Model, fork: ForkNode, session: string | undefined): void {
  if (session === undefined || fork.target !== undefined) return;
  fork.target = session;
  const made = sessionOf(model, session);
  // Only a made-up log has two forks of one session: whichever comes first then, the same one stands.
  if (made.origin === undefined || fork.key < made.origin.key) made.origin = fork;
}
