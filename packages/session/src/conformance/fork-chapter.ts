import { actor, says, type Actor } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** Commit, seat, abandon, and the claims between them. */
export const forkChapter: ConformanceChapter = {
  name: "fork operations",
  cases: [
    onStore("F86–F103: a commit reserves the name and shows the child to nobody", async ({ store }) => {
      const planner = await source(store);
      const { operation, session, claim, replayed } = await planner.commit("child");
      ensureSame(
        [operation.state, session.state, session.binding, replayed, claim?.epoch],
        ["committed", "pending", null, false, 1],
        "the commit",
      );
      ensure((await store.members.get("child")) === undefined, "an unseated fork is not found by name");
      ensureSame(
        await store.members.holder("child"),
        { holder: "reserved", operationId: operation.id },
        "the name is reserved",
      );
      await ensureRefused(store.acquireLease(session.id, { owner: "a", ttlMs: 10 }), "session_unavailable");
      ensureSame(await store.operations.ofSession(session.id), operation, "found by its session");
      ensureSame((await store.operations.list({ state: "committed" })).items, [operation], "listed");
    }),
    onStore("F39–F42: a taken name is refused before anything is written", async ({ store }) => {
      const planner = await source(store);
      await planner.commit("child");
      const operations = (await store.operations.list()).items.length;
      ensure(
        (await ensureRefused(planner.commit("child"), "member_already_exists")).holder === "reserved",
        "a reserved name",
      );
      ensure(
        (await ensureRefused(planner.commit("planner"), "member_already_exists")).holder === "seated",
        "a seated name",
      );
      await ensureRefused(store.createSession({ member: "child", role: "r" }), "member_already_exists");
      ensure((await store.operations.list()).items.length === operations, "refusals allocate nothing");
    }),
    onStore("F39–F42: of many forks to one name exactly one commits", async ({ store }) => {
      const planner = await source(store);
      const outcomes = await Promise.allSettled(Array.from({ length: 64 }, () => planner.commit("child")));
      ensure(outcomes.filter(({ status }) => status === "fulfilled").length === 1, "one winner");
      ensure((await store.operations.list()).items.length === 1, "one operation");
    }),
    onStore("a seat binds the member, opens the session and closes the operation", async ({ store }) => {
      const planner = await source(store);
      const { claim, session } = await planner.commit("child");
      const seat = await store.forks.seat({
        claim: claim!,
        agentIdentity: "agent-7",
        provision: { warm: true },
      });
      ensureSame(
        [seat.operation.state, seat.session.state, seat.session.binding, seat.replayed],
        ["seated", "ready", { member: "child" }, false],
        "the seat",
      );
      ensureSame([seat.member.sessionId, seat.member.agentIdentity], [session.id, "agent-7"], "the member");
      ensureSame(seat.operation.provision, { warm: true }, "what the provisioner answered");
      ensureSame(await store.members.get("child"), seat.member, "found by name");
      await store.acquireLease(session.id, { owner: "a", ttlMs: 10 });
      const again = await store.forks.seat({ claim: claim! });
      ensureSame([again.replayed, again.member], [true, seat.member], "a second seat by the same claim");
    }),
    onStore("S26: an initial message is handed out once, with the seat", async ({ store }) => {
      const planner = await source(store);
      const { claim, session, operation } = await planner.commit("child", { initialMessage: says("begin") });
      const input = { kind: "session.input", sessionId: session.id };
      ensure((await store.outbox.list(input)).items.length === 0, "not before the seat");
      await store.forks.seat({ claim: claim! });
      await store.forks.seat({ claim: claim! });
      const { items } = await store.outbox.list(input);
      ensureSame(
        items.map(({ payload }) => payload),
        [{ operationId: operation.id, message: says("begin") }],
        "one input",
      );
      ensure((await store.head(session.id)).queuedInputs === 1, "it counts as queued");
      const lease = await store.acquireLease(session.id, { owner: "a", ttlMs: 1000 });
      const taken = { messages: [says("begin")], consumes: [items[0]!.id], queuedInputs: -1 };
      await store.append(session.id, { lease, expectedRev: 0, ...taken });
      await ensureRefused(
        store.append(session.id, { lease, expectedRev: 1, ...taken, queuedInputs: 0 }),
        "event_consumed",
      );
      ensure((await store.outbox.list(input)).items.length === 0, "it is gone");
    }),
    onStore(
      "F86–F103: a key answers the same child again, and refuses another request",
      async ({ store }) => {
        const planner = await source(store);
        const first = await planner.commit("child", { idempotencyKey: "k1" });
        const again = await planner.commit("child", { idempotencyKey: "k1" });
        ensureSame(
          [again.replayed, again.claim, again.operation, again.session.id],
          [true, null, first.operation, first.session.id],
          "the replay",
        );
        ensureSame(await store.operations.ofKey("k1"), first.operation, "found by its key");
        const other = planner.commit("child", { idempotencyKey: "k1", requestDigest: "other" });
        await ensureRefused(other, "idempotency_conflict");
        await store.forks.seat({ claim: first.claim! });
        const late = await planner.commit("child", { idempotencyKey: "k1" });
        ensureSame([late.replayed, late.operation.state], [true, "seated"], "after the seat");
      },
    ),
    onStore(
      "S26: a claim is taken when free or expired, and the older one is stale",
      async ({ store, clock }) => {
        const planner = await source(store);
        const { claim, operation } = await planner.commit("child");
        const operationId = operation.id;
        const want = { operationId, owner: "other", ttlMs: 1000 };
        ensure(
          (await ensureRefused(store.operations.claim(want), "claim_held")).owner === "kit",
          "its holder",
        );
        const renewed = await store.operations.renew(claim!, { ttlMs: 20_000 });
        clock.advance(15_000);
        await ensureRefused(store.operations.claim(want), "claim_held");
        clock.advance(5001);
        const taken = await store.operations.claim(want);
        ensure(taken.epoch > renewed.epoch, "the epoch grew");
        await ensureRefused(store.operations.renew(claim!), "stale_claim");
        await ensureRefused(store.forks.seat({ claim: claim! }), "stale_claim");
        await store.forks.seat({ claim: taken });
        await ensureRefused(store.forks.seat({ claim: claim! }), "stale_claim");
        ensure(
          (await ensureRefused(store.operations.claim(want), "operation_closed")).state === "seated",
          "closed",
        );
      },
    ),
    onStore("F86–F103: a failed provisioning is noted and can be resumed", async ({ store }) => {
      const planner = await source(store);
      const { claim, operation, session } = await planner.commit("child");
      const failed = await store.operations.fail(claim!, { reason: "no room" });
      ensureSame([failed.state, failed.failure?.reason], ["committed", "no room"], "the operation");
      await ensureRefused(store.forks.seat({ claim: claim! }), "stale_claim");
      const next = await store.operations.claim({ operationId: operation.id, owner: "b", ttlMs: 1000 });
      const seat = await store.forks.seat({ claim: next });
      ensureSame([seat.session.id, seat.operation.failure], [session.id, null], "the same child");
    }),
    onStore("F86–F103: a resume may rename the child, and the old name is free", async ({ store }) => {
      const planner = await source(store);
      const { claim, operation } = await planner.commit("child");
      await ensureRefused(store.operations.amend(claim!, { member: "planner" }), "member_already_exists");
      const amended = await store.operations.amend(claim!, { member: "renamed", role: "critic" });
      ensureSame([amended.child.member, amended.child.role], ["renamed", "critic"], "the child");
      ensure((await store.members.holder("child")) === undefined, "the old name is free");
      const { member } = await store.forks.seat({ claim: claim! });
      ensureSame(
        [member.member, member.role, member.operationId],
        ["renamed", "critic", operation.id],
        "seated",
      );
    }),
    onStore("an abandoned fork frees its name for ever, and is abandoned once", async ({ store, clock }) => {
      const planner = await source(store);
      const { claim, operation, session } = await planner.commit("child");
      const operationId = operation.id;
      await ensureRefused(store.forks.abandon({ operationId }), "claim_held");
      clock.advance(10_001);
      const gone = await store.forks.abandon({ operationId });
      ensure(gone.state === "abandoned", "it is abandoned");
      ensureSame(await store.forks.abandon({ operationId }), gone, "a second time");
      await ensureRefused(store.forks.seat({ claim: claim! }), "operation_closed");
      ensure((await store.head(session.id)).state === "tombstone", "its session is a tombstone");
      const next = await planner.commit("child");
      await store.forks.abandon({ operationId: next.operation.id, claim: next.claim! });
      await planner.fork("child");
      const seated = await store.operations.list({ state: "seated" });
      await ensureRefused(store.forks.abandon({ operationId: seated.items[0]!.id }), "operation_closed");
      await ensureRefused(store.forks.abandon({ operationId: "nobody" }), "unknown_operation");
    }),
    onStore("the outbox tells of commit, seat and abandonment, once each", async ({ store }) => {
      const planner = await source(store);
      await planner.fork("c1");
      const { claim, operation } = await planner.commit("c2");
      await store.forks.abandon({ operationId: operation.id, claim: claim! });
      const { items } = await store.outbox.list();
      const kinds = items.map(({ kind }) => kind);
      ensureSame(kinds, ["fork.committed", "fork.seated", "fork.committed", "fork.abandoned"], "the events");
      const key = `fork-abandoned:${operation.id}`;
      await planner.update({ events: [{ key, kind: "host.own", payload: null }] });
      ensureSame(
        (await store.outbox.list()).items.length,
        4,
        "a host's event under a fork's key is left out",
      );
      const own = { sessionId: operation.child.sessionId, kind: "fork.abandoned" };
      const [told, ...others] = (await store.outbox.list(own)).items;
      ensureSame([told?.key, others.length], [key, 0], "the events of a session and kind");
    }),
    onStore("the event of a commit tells the name that the child had then", async ({ store }) => {
      const planner = await source(store);
      const { claim, operation, session } = await planner.commit("first");
      await store.operations.amend(claim!, { member: "second", role: "writer" });
      await store.forks.seat({ claim: claim! });
      const { items } = await store.outbox.list({ sessionId: session.id });
      const names = items.map(({ key, payload }) => [key, (payload as { member: string }).member]);
      ensureSame(
        names,
        [
          [`fork-committed:${operation.id}`, "first"],
          [`fork-seated:${operation.id}`, "second"],
        ],
        "the names",
      );
      const { member } = (await store.forks.source({ member: "second", kind: "none" }))!;
      ensureSame([member.role, member.operationId], ["writer", operation.id], "the member");
    }),
    onStore("a source is told in one look as its parts tell it", async ({ store }) => {
      const planner = await source(store);
      await planner.update({ sideState: [{ kind: "policy", onFork: "copy", value: { allow: [] } }] });
      const child = await planner.fork("child");
      await planner.commit("reserved");
      for (const member of ["planner", "child"]) {
        const found = (await store.forks.source({ member, kind: "policy" }))!;
        ensureSame(found.member, await store.members.get(member), "the member");
        const { sessionId } = found.member;
        ensureSame(found.sideState, await store.sideState(sessionId, "policy"), "the side state");
        const made = await store.operations.ofSession(sessionId);
        ensureSame(found.madeBy ?? null, made?.request ?? null, "the request");
        ensure((made === undefined) === (sessionId !== child.sessionId), "only the child was forked");
      }
      const plain = await store.forks.source({ member: "planner", kind: "none" });
      ensureSame([plain?.sideState, plain?.madeBy], [undefined, undefined], "nothing of the kind");
      for (const member of ["reserved", "nobody"])
        ensure((await store.forks.source({ member, kind: "policy" })) === undefined, member);
    }),
  ],
};

async function source(store: Parameters<typeof actor>[0]): Promise<Actor> {
  const planner = await actor(store);
  await planner.append([says("a"), says("b")]);
  return planner;
}
