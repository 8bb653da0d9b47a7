import { beforeEach, describe, expect, it } from "vitest";
import { createForks, type Forks } from "../src/index.ts";
import type { ModelMessage } from "@mobkit/session";
import { memoryIdentityAuthority } from "../src/memory/index.ts";
import { story } from "./support/messages.ts";
import { recordingProvisioner, settle, type RecordingProvisioner } from "./support/provisioners.ts";
import { refusal, refusalOf } from "./support/refusals.ts";
import { seed, snapshot } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const good = {
  identity: "planner-b",
  role: "general",
  labels: { team: "review" },
  launchMode: "fresh",
} as const;

/** Every refusal that needs no IO, as a change of an accepted request. */
const STATIC: Readonly<Record<string, readonly [source: unknown, spec: unknown, options?: unknown]>> = {
  "a reserved label": ["planner", { ...good, labels: { agent_identity: "x" } }], // F1
  "a launch mode": ["planner", { ...good, launchMode: "fork" }], // F2
  "a blank child": ["planner", { ...good, identity: " " }], // F3
  "a blank source": [" ", good], // F4
  "an unknown field": ["planner", { ...good, tools: ["read"] }], // F5
  "an encoded child": ["planner", { ...good, identity: "mk--a_cb" }], // F6
  "a generated child": ["planner", { ...good, identity: "rt:a:0" }], // F7
  placement: ["planner", { ...good, placement: "host-b" }], // F9
  "a flow's name": ["planner", { ...good, identity: "flow:build" }], // F11
  "two boundaries": ["planner", good, { at: { messageId: "a", turnId: "b" } }],
  "a wrong type": ["planner", good, { at: -1 }], // F12
  "an initial message that answers a call": [
    "planner",
    { ...good, initialMessage: { role: "tool", content: [{ type: "tool-result", toolCallId: "a" }] } },
  ],
};

describe.each(stores)("request hygiene on the $name store", (kind) => {
  let store: Store;
  let provisioner: RecordingProvisioner;
  let forks: Forks<ModelMessage>;
  const authority = memoryIdentityAuthority();
  authority.register("durable");

  beforeEach(async () => {
    store = await kind.open();
    provisioner = recordingProvisioner();
    forks = createForks({ store, provisioner });
    await seed(store, "planner", story);
  });

  it("accepts a fresh spec with ordinary labels", async () => {
    const made = await forks.forkMember("planner", good);
    expect(made.memberAlias).toBe("planner-b");
    expect((await store.members.get("planner-b"))?.labels).toEqual({ team: "review" });
  });

  it.each(Object.keys(STATIC))("refuses %s, and leaves the store as it was", async (name) => {
    // F13, F20
    const before = await snapshot(store);
    const error = await refusal(forks.forkMember(...(STATIC[name] as [never, never, never])));
    expect(error).toMatchObject({ kind: "invalid_request", retry: "after_fix", committed: false });
    expect(error.structuredData()).toBeUndefined();
    expect(await snapshot(store)).toBe(before);
    expect(provisioner.requests).toEqual([]);
  });

  it("asks neither store nor authority before the static checks have passed", async () => {
    // F14
    await store.close();
    const asked: string[] = [];
    const identityAuthority = {
      async resolveAlias(alias: string) {
        asked.push(alias);
        return undefined;
      },
      holdLifecycle: () => Promise.reject(new Error("not here")),
    };
    for (const [source, spec, options] of Object.values(STATIC)) {
      const given = { ...(options as object), identityAuthority };
      await refusalOf("invalid_request", forks.forkMember(source as string, spec as never, given));
    }
    expect(asked).toEqual([]);
    await refusalOf("fork_unavailable", forks.forkMember("planner", good, { identityAuthority }));
    expect(asked).not.toEqual([]);
  });

  it("refuses a child name that a durable identity owns", async () => {
    // F8
    const before = await snapshot(store);
    const spec = { ...good, identity: "durable" };
    const error = await refusalOf(
      "invalid_request",
      forks.forkMember("planner", spec, { identityAuthority: authority }),
    );
    expect(error.details).toEqual({ reason: "owned_name", field: "spec.identity" });
    expect(await snapshot(store)).toBe(before);
    expect((await forks.forkMember("planner", spec)).memberAlias).toBe("durable");
  });

  it("refuses a role that the provisioner does not know", async () => {
    // F10
    const before = await snapshot(store);
    const error = await refusalOf(
      "invalid_request",
      forks.forkMember("planner", { ...good, role: "nobody" }),
    );
    expect(error.details).toEqual({ reason: "unknown_role", field: "spec.role" });
    expect(await snapshot(store)).toBe(before);
  });

  it("looks ownership and role up before it waits for a lock", async () => {
    // F15
    const locked = memoryIdentityAuthority();
    locked.register("planner");
    locked.register("durable");
    const hold = await locked.holdLifecycle("planner", { signal: new AbortController().signal });
    const options = { identityAuthority: locked };
    for (const change of [{ identity: "durable" }, { role: "nobody" }]) {
      const error = await refusal(forks.forkMember("planner", { ...good, ...change }, options));
      expect(error.kind).toBe("invalid_request");
    }
    hold.release();
  });

  it("gives a bad child name the same kind with and without an authority", async () => {
    // F16
    for (const identity of ["mk--x", "rt:a:0", ""]) {
      const spec = { ...good, identity };
      const without = await refusal(forks.forkMember("planner", spec));
      const withOne = await refusal(forks.forkMember("planner", spec, { identityAuthority: authority }));
      expect(withOne.toJSON()).toEqual(without.toJSON());
      expect(without.kind).toBe("invalid_request");
    }
  });

  it("gives a name that an identity took meanwhile as member_already_exists", async () => {
    // F17
    const racing = memoryIdentityAuthority();
    racing.register("planner");
    const hold = await racing.holdLifecycle("planner", { signal: new AbortController().signal });
    const work = refusalOf(
      "member_already_exists",
      forks.forkMember("planner", good, { identityAuthority: racing }),
    );
    await settle();
    racing.register("planner-b");
    hold.release();
    expect((await work).committed).toBe(false);
  });

  it("takes a source in either spelling and reports the public one", async () => {
    // F18
    await seed(store, "review:a", story);
    const made = await forks.forkMember("mk--review_ca", good);
    expect(made.sourceMemberAlias).toBe("review:a");
    const plain = await forks.forkMember("review:a", { ...good, identity: "other" });
    expect(plain.sourceMemberAlias).toBe("review:a");
  });

  it("gives a child the roster id that a spawn of its alias has", async () => {
    // F19
    const made = await forks.forkMember("planner", { ...good, identity: "review:b" });
    expect(made).toMatchObject({ memberAlias: "review:b", agentIdentity: "mk--review_cb" });
    expect((await store.members.get("review:b"))?.agentIdentity).toBe("mk--review_cb");
  });
});
