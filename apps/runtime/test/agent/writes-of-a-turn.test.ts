import { SessionError } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import type { HostStore } from "../../src/store/host-store.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, openTestHost, stateKinds } from "../harness/test-host.ts";

const round = [calls({ name: "probe", input: { value: "x" }, id: "c1" }), { text: "done" }];

/** A store that notes what is asked of it, and whose next opening write finds its blob gone when it is told so. */
function watched() {
  const asked: string[] = [];
  const fault = { blobGone: false, refusedReleases: 0 };
  const refuseRelease = (release: boolean | undefined): void => {
    if (release !== true || fault.refusedReleases === 0) return;
    fault.refusedReleases -= 1;
    throw new SessionError("blob_missing", "gone", { details: { digest: "sha256:gone" } });
  };
  const wrapStore = (store: HostStore): HostStore => ({
    ...store,
    blobs: {
      ...store.blobs,
      put: (...given) => (asked.push("put"), store.blobs.put(...given)),
    },
    append: async (...given) => {
      asked.push("append");
      if (fault.blobGone && given[1].requestHead !== undefined) {
        fault.blobGone = false;
        throw new SessionError("blob_missing", "gone", { details: { digest: "sha256:gone" } });
      }
      refuseRelease(given[1].release);
      return store.append(...given);
    },
    update: async (...given) => {
      asked.push("update");
      refuseRelease(given[1].release);
      return store.update(...given);
    },
    releaseLease: (...given) => (asked.push("release"), store.releaseLease(...given)),
  });
  return { asked, fault, wrapStore };
}

describe.each(stateKinds)("a turn of two rounds and one call, with the state in %s", (state) => {
  const open = async () => {
    const { asked, fault, wrapStore } = watched();
    const agents = { main: [...round, ...round] };
    const host = await openTestHost({ state, agents, tools: [probeTool("probe")], wrapStore });
    return { asked, fault, host };
  };

  test("writes prompt, answer, intent, result and last answer; the last closes the turn and frees the lease", async () => {
    const { asked, host } = await open();
    const { transcript } = await host.run("go");
    expect(asked).toEqual(["put", "append", "append", "update", "append", "append"]);
    const head = await host.state.store.head(transcript!.sessionId);
    expect(head).toMatchObject({ runTurn: null, pendingApprovals: 0, openCalls: [], len: 4 });
    expect(head.lease).toMatchObject({ owner: null, expiresAt: null });
  });

  test.each([
    { refusedReleases: 1, freedBy: "update" },
    { refusedReleases: 2, freedBy: "release" },
  ])(
    "frees the lease by $freedBy where $refusedReleases writes that free it fail",
    async ({ refusedReleases, freedBy }) => {
      const { asked, fault, host } = await open();
      fault.refusedReleases = refusedReleases;
      const report = await host.run("go");
      expect(report).toMatchObject({ outcome: "failed" });
      expect(asked.at(-1)).toBe(freedBy);
      const { sessionId } = report.transcript!;
      expect((await host.state.store.head(sessionId)).lease).toMatchObject({ owner: null });
      expect(await host.run("again", { sessionId })).toMatchObject({ outcome: "completed" });
    },
  );

  test("gives the store an agent's request head once, for all its sessions", async () => {
    const { asked, host } = await open();
    const first = await host.run("go");
    const second = await host.run("go");
    expect(asked.filter((write) => write === "put")).toEqual(["put"]);
    const heads = [first, second].map(({ transcript }) => host.state.store.head(transcript!.sessionId));
    const [one, other] = await Promise.all(heads);
    expect(other!.requestHead).toBe(one!.requestHead);
    expect(one!.requestHead).toMatch(/^sha256:/);
  });

  test("gives the head again when the store has let go of it", async () => {
    const { asked, fault, host } = await open();
    await host.run("go");
    fault.blobGone = true;
    expect(await host.run("go")).toMatchObject({ outcome: "completed", text: "done" });
    expect(asked.filter((write) => write === "put")).toEqual(["put", "put"]);
    expect(host.events.data("user_message")).toHaveLength(2);
  });
});
