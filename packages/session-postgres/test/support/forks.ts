import type { ForkCommit, ForkCommitRequest, ModelMessage } from "@mobkit/session";
import type { PostgresStore } from "../../src/index.ts";

type Asked = { readonly member: string } & Partial<
  Pick<ForkCommitRequest<ModelMessage>, "idempotencyKey" | "allowEmpty" | "at" | "initialMessage">
>;

/** Commits a fork of the session of `planner`. */
export function forkOf(
  store: PostgresStore<ModelMessage>,
  sessionId: string,
  { member, ...rest }: Asked,
): Promise<ForkCommit<ModelMessage>> {
  return store.forks.commit({
    source: { member: "planner", sessionId },
    child: { member, role: "general", labels: {} },
    request: {},
    requestDigest: "same",
    claim: { owner: "test", ttlMs: 60_000 },
    ...rest,
  });
}
