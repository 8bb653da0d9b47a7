import { memoryStore } from "@mobkit/session";
import { describe, expect, it } from "vitest";
import { createForks } from "../src/index.ts";
import { memoryIdentityAuthority } from "../src/memory/index.ts";
import { story } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { rows, seed } from "./support/sessions.ts";
import { stores } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

describe.each(stores)("odd callers and ports on the $name store", (kind) => {
  it("finds a fork by the one id that is given when the other is undefined", async () => {
    const store = await kind.open();
    await seed(store, "planner", story);
    const forks = createForks({ store, provisioner: recordingProvisioner() });
    const { operationId, sessionId } = await forks.forkMember("planner", child);
    const bySession = { operationId: undefined, sessionId } as never;
    const byOperation = { operationId, sessionId: undefined } as never;
    expect((await forks.forkStatus(bySession)).operationId).toBe(operationId);
    expect((await forks.forkStatus(byOperation)).sessionId).toBe(sessionId);
    expect((await forks.resumeFork(bySession)).replayed).toBe(true);
    await refusalOf("invalid_request", forks.forkStatus({ operationId, sessionId }));
  });

  it("forks at the one boundary that is given when the other is undefined", async () => {
    const store = await kind.open();
    const source = await seed(store, "planner", story);
    const [first] = (await rows(store, source.id)) as { readonly id: string }[];
    const forks = createForks({ store, provisioner: recordingProvisioner() });
    const at = { turnId: undefined, messageId: first!.id } as never;
    expect((await forks.forkMember("planner", child, { at })).messageCount).toBe(1);
  });

  it("answers options that are none with a ForkError", async () => {
    const store = await kind.open();
    const forks = createForks({ store, provisioner: recordingProvisioner() });
    const target = { operationId: "x" };
    for (const options of [null, { wait: 1 }, { signal: "now" }] as never[]) {
      await refusalOf("invalid_request", forks.forkStatus(target, options));
      await refusalOf("invalid_request", forks.abandonFork(target, options));
    }
    const error = await refusalOf("fork_operation_not_found", forks.forkStatus(target, {}));
    expect(error.committed).toBe(false);
  });

  it("answers with the seated child though the authority cannot let go of its hold", async () => {
    const store = await kind.open();
    await seed(store, "planner", story);
    const authority = memoryIdentityAuthority();
    authority.register("planner");
    const identityAuthority = {
      resolveAlias: authority.resolveAlias,
      holdLifecycle: async () => ({
        release() {
          throw new Error("it sticks");
        },
      }),
    };
    const forks = createForks({ store, provisioner: recordingProvisioner(), identityAuthority });
    const made = await forks.forkMember("planner", child);
    expect((await store.members.get("child"))?.sessionId).toBe(made.sessionId);
  });

  it.each([
    [
      "throws at once",
      () => {
        throw new Error("no");
      },
    ],
    ["answers nothing", () => undefined],
  ])("says that a fork was abandoned though tearDown %s", async (_how, tearDown) => {
    const store = await kind.open();
    await seed(store, "planner", story);
    const provisioner = {
      async provision({ operationId }: { readonly operationId: string }) {
        const claim = (await store.operations.get(operationId))!.claim;
        const { epoch, owner } = claim;
        await store.forks.abandon({
          operationId,
          claim: { operationId, epoch, owner: owner!, expiresAt: 0, ttlMs: 1 },
        });
        return {};
      },
      tearDown: tearDown as never,
    };
    const forks = createForks({ store, provisioner });
    const error = await refusalOf("fork_operation_closed", forks.forkMember("planner", child));
    expect(error.details.state).toBe("abandoned");
  });

  it("says that a child is committed whatever its provisioner throws", async () => {
    const store = await kind.open();
    await seed(store, "planner", story);
    const thrown = [Object.create(null), undefined, Symbol("no"), 7n] as unknown[];
    for (const [at, what] of thrown.entries()) {
      const forks = createForks({ store, provisioner: { provision: () => Promise.reject(what as Error) } });
      const made = forks.forkMember("planner", { ...child, identity: `child-${at}` });
      const error = await refusalOf("fork_member_provision_failed", made);
      expect(error).toMatchObject({ committed: true, retry: "resume" });
      const { operationId } = error.details;
      const up = createForks({ store, provisioner: recordingProvisioner() });
      expect((await up.resumeFork({ operationId })).memberAlias).toBe(`child-${at}`);
    }
  });

  it("gives a role that nobody looks up its deadline, and an aborted call its end", async () => {
    const store = await kind.open();
    await seed(store, "planner", story);
    const hasRole = () => new Promise<boolean>(() => undefined);
    const forks = createForks({ store, provisioner: { ...recordingProvisioner(), hasRole } });
    await refusalOf("fork_deadline_exceeded", forks.forkMember("planner", child, { deadlineMs: 20 }));
    await refusalOf("fork_deadline_exceeded", forks.previewFork("planner", child, { deadlineMs: 20 }));
    const signal = AbortSignal.timeout(20);
    await refusalOf("fork_cancelled", forks.forkMember("planner", child, { signal }));
    await seed(store, "other", story);
    const up = createForks({ store, provisioner: recordingProvisioner() });
    expect((await up.forkMember("planner", child)).memberAlias).toBe("child");
  });

  it("ends the wait for a ledger that does not answer", async () => {
    const store = await kind.open();
    await seed(store, "planner", story);
    const mute = (_id: unknown, { signal }: { readonly signal?: AbortSignal | undefined } = {}) =>
      new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const operations = { ...store.operations, ofKey: mute, get: mute };
    const forks = createForks({ store, operations, provisioner: recordingProvisioner() });
    const options = { deadlineMs: 20, idempotencyKey: "key" };
    const late = await refusalOf("fork_deadline_exceeded", forks.forkMember("planner", child, options));
    expect(late.details).toEqual({ deadlineMs: 20 });
    const resumed = forks.resumeFork({ operationId: "any" }, { deadlineMs: 20 });
    await refusalOf("fork_deadline_exceeded", resumed);
  });

  it("takes null from an authority for a name that no identity owns", async () => {
    const store = await kind.open();
    await seed(store, "planner", story);
    const authority = memoryIdentityAuthority();
    const identityAuthority = { ...authority, resolveAlias: async () => null as never };
    const forks = createForks({ store, provisioner: recordingProvisioner(), identityAuthority });
    expect((await forks.forkMember("planner", child)).memberAlias).toBe("child");
  });
});

describe("parts that are none", () => {
  const parts = { store: memoryStore(), provisioner: recordingProvisioner() };

  it.each([
    ["store", undefined],
    ["store", {}],
    ["provisioner", undefined],
    ["provisioner", async () => ({})],
    ["identityAuthority", { resolveAlias: async () => undefined }],
    ["onError", 7],
    ["claimTtlMs", 0],
    ["claimTtlMs", 1.5],
  ])("are refused by name when forks are made: %s", (part, given) => {
    const made = (): unknown => createForks({ ...parts, [part]: given });
    expect(made).toThrow(
      expect.objectContaining({
        kind: "invalid_request",
        details: { reason: "wrong_type", field: `options.${part}` },
      }),
    );
    expect(() => createForks({ ...parts, onError: undefined, claimTtlMs: 1 })).not.toThrow();
  });
});
