import { actor, says } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** Creating, listing, moving between states; the member registry. */
export const sessionsChapter: ConformanceChapter = {
  name: "sessions and members",
  cases: [
    onStore("a created session is ready, empty and bound to its seated member", async ({ store }) => {
      const labels = { team: "red" };
      const session = await store.createSession({ member: "planner", role: "general", labels });
      ensureSame(
        [session.state, session.len, session.settledLen, session.rev, session.binding],
        ["ready", 0, 0, 0, { member: "planner" }],
        "a new session",
      );
      ensureSame(await store.head(session.id), session, "head answers the created record");
      const member = await store.members.get("planner");
      ensureSame(
        [member?.sessionId, member?.role, member?.labels],
        [session.id, "general", labels],
        "the member is seated",
      );
      ensureSame(
        await store.members.holder("planner"),
        { holder: "seated", sessionId: session.id },
        "the holder of its name",
      );
    }),
    onStore("a taken name is refused and leaves no session", async ({ store }) => {
      await store.createSession({ member: "planner", role: "general" });
      const again = store.createSession({ member: "planner", role: "other" });
      ensureSame(
        await ensureRefused(again, "member_already_exists"),
        { member: "planner", holder: "seated" },
        "the refusal",
      );
      ensure((await store.listSessions()).items.length === 1, "a refused creation leaves nothing");
    }),
    onStore(
      "creating with an id again answers the same session, or refuses other contents",
      async ({ store }) => {
        const request = { member: "planner", role: "general", id: "s-1" };
        const first = await store.createSession(request);
        ensureSame(await store.createSession(request), first, "the same creation");
        await ensureRefused(store.createSession({ ...request, role: "other" }), "session_exists");
        await ensureRefused(store.createSession({ ...request, member: "other" }), "session_exists");
      },
    ),
    onStore("unknown sessions and unusable names are refused", async ({ store }) => {
      await ensureRefused(store.head("nobody"), "unknown_session");
      await ensureRefused(store.acquireLease("nobody", { owner: "a", ttlMs: 10 }), "unknown_session");
      await ensureRefused(store.createSession({ member: "", role: "general" }), "invalid_request");
      await ensureRefused(store.createSession({ member: "a\0", role: "general" }), "invalid_request");
      ensure((await store.listSessions()).items.length === 0, "refusals allocate nothing");
    }),
    onStore("names are data: a member may be called constructor or __proto__", async ({ store }) => {
      for (const member of ["constructor", "__proto__", "toString"]) {
        ensure((await store.members.get(member)) === undefined, `${member} is not there before`);
        const session = await store.createSession({ member, role: "general" });
        ensure((await store.members.get(member))?.sessionId === session.id, `${member} is a member`);
      }
    }),
    onStore(
      "F114: listing pages through all sessions once, in the order of their ids",
      async ({ store, clock }) => {
        const ids: string[] = [];
        for (let index = 0; index < 7; index += 1) {
          clock.advance(1);
          ids.push((await store.createSession({ member: `m${index}`, role: "general" })).id);
        }
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const page = await store.listSessions({ limit: 3, ...(after === undefined ? {} : { after }) });
          seen.push(...page.items.map(({ id }) => id));
          after = page.next ?? undefined;
        } while (after !== undefined);
        ensureSame(seen, ids, "every session once");
      },
    ),
    onStore("an archived session is readable, refuses writes, and comes back", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("hello")]);
      const archived = await store.setState(planner.sessionId, { state: "archived" });
      ensure(archived.state === "archived", "it is archived");
      ensure((await planner.rows()).length === 1, "an archived session is readable");
      ensureSame(
        await ensureRefused(planner.append([says("more")]), "session_unavailable"),
        { sessionId: planner.sessionId, state: "archived" },
        "the refusal of a write",
      );
      await ensureRefused(
        store.acquireLease(planner.sessionId, { owner: "b", ttlMs: 10 }),
        "session_unavailable",
      );
      await store.setState(planner.sessionId, { state: "ready" });
      await ensureRefused(planner.append([says("more")]), "stale_fence");
    }),
    onStore("a deleted session is a tombstone whose name is free", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("hello")]);
      const gone = await store.setState(planner.sessionId, { state: "tombstone" });
      ensureSame([gone.state, gone.binding], ["tombstone", null], "the tombstone");
      await ensureRefused(planner.rows(), "session_unavailable");
      await ensureRefused(store.setState(planner.sessionId, { state: "ready" }), "session_unavailable");
      ensure((await store.members.get("planner")) === undefined, "its member is retired");
      ensure((await store.listSessions()).items.length === 0, "a tombstone is not listed");
      await store.createSession({ member: "planner", role: "general" });
    }),
    onStore("a retired member frees its name and leaves its transcript", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("hello")]);
      await store.members.retire("planner");
      ensure((await store.head(planner.sessionId)).binding === null, "the session lost its binding");
      ensure((await planner.rows()).length === 1, "the transcript stays");
      await ensureRefused(store.members.retire("planner"), "unknown_member");
      ensure((await store.members.holder("planner")) === undefined, "the name is free");
    }),
    onStore("a closed store refuses, and closing twice is allowed", async ({ store }) => {
      await store.createSession({ member: "planner", role: "general" });
      await store.close();
      await store.close();
      await ensureRefused(store.listSessions(), "store_unavailable");
    }),
    onStore("an aborted signal stops a call before it writes", async ({ store }) => {
      const signal = AbortSignal.abort(new Error("enough"));
      const refused = await store.createSession({ member: "planner", role: "general", signal }).then(
        () => undefined,
        (error: unknown) => error,
      );
      ensure(refused instanceof Error && refused.message === "enough", "it rejects with the signal's reason");
      ensure((await store.members.holder("planner")) === undefined, "nothing was written");
    }),
  ],
};
