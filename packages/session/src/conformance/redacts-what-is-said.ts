import { actor, says } from "./actor.ts";
import { ensure, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceCase } from "./case.ts";
import { upkeepOf } from "./collection-chapter.ts";

const WORDS = ["user", "content", "role", "deny", "message", "member"];

/** Texts that are words of a message's format, of a fork's own fields and of what may be used. */
export const redactsWhatIsSaid: ConformanceCase = onStore(
  "S32: a text that is a word of the format goes from what is said, and from nothing that is read again",
  async ({ store }) => {
    const planner = await actor(store);
    const rights = { kind: "tool_access_policy", onFork: "copy", value: { deny: ["user_admin"] } } as const;
    const { ids } = await planner.append([says("a")], {
      events: [{ key: "k", kind: "told", payload: { type: "user", user: "the user" } }],
      sideState: [rights],
    });
    const initialMessage = says("the user's content");
    await planner.fork("seated", { initialMessage });
    const policy = { toolAccessPolicy: { deny: ["user_admin"] } };
    await planner.commit("waiting", { request: { ...policy, note: "the user" }, initialMessage });
    const own = (await store.outbox.list({ kind: "fork.committed" })).items;
    await upkeepOf(store).redact({
      sessionId: planner.sessionId,
      messageIds: ids,
      secrets: WORDS,
      replace: (message) => message,
    });
    const left = says("the [redacted]'s [redacted]");
    const [input] = (await store.outbox.list({ kind: "session.input" })).items;
    ensureSame((input!.payload as { message?: unknown }).message, left, "a seated fork's first input");
    const [waiting] = (await store.operations.list({ state: "committed" })).items;
    ensureSame(waiting!.initialMessage, left, "a waiting fork's first input");
    ensureSame(waiting!.request, { ...policy, note: "the [redacted]" }, "its request");
    const [told] = (await store.outbox.list({ kind: "told" })).items;
    ensureSame(told!.payload, { type: "user", user: "the [redacted]" }, "an event");
    ensure(own.length === 2, "both forks are told");
    ensureSame((await store.outbox.list({ kind: "fork.committed" })).items, own, "what tells a fork");
    const kept = await store.sideState(planner.sessionId, rights.kind);
    ensureSame(kept!.value, rights.value, "what may be used");
  },
);
