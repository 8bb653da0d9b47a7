import { beforeEach, describe, expect, it } from "vitest";
import { createForks, type CacheInheritance } from "../src/index.ts";
import { story } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { seed } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };
const unresolved = { status: "unavailable", reason: "target_identity_unresolved" };

describe.each(stores)("the cache verdict on the $name store", (kind) => {
  let store: Store;

  beforeEach(async () => {
    store = await kind.open();
    await seed(store, "planner", story);
  });

  it("is target_identity_unresolved unless the lower layer says otherwise", async () => {
    // F104
    const made = await createForks({ store, provisioner: recordingProvisioner() }).forkMember(
      "planner",
      child,
    );
    expect(made.cacheInheritance).toEqual(unresolved);
  });

  it("is passed through as the lower layer gives it, and kept for replays", async () => {
    // F104
    const verdicts = [
      { status: "available", messageCount: 7 },
      { status: "unavailable", reason: "provider_model_mismatch" },
    ] as const;
    for (const [index, cacheInheritance] of verdicts.entries()) {
      const forks = createForks({
        store,
        provisioner: recordingProvisioner(async () => ({ cacheInheritance })),
      });
      const made = await forks.forkMember("planner", { ...child, identity: `child-${index}` });
      expect(made.cacheInheritance).toEqual(cacheInheritance);
      expect((await forks.resumeFork({ operationId: made.operationId })).cacheInheritance).toEqual(
        cacheInheritance,
      );
    }
  });

  it("never fails a fork, not even as something that cannot be kept", async () => {
    const cacheInheritance = { status: "available", messageCount: Number.NaN } as CacheInheritance;
    const forks = createForks({
      store,
      provisioner: recordingProvisioner(async () => ({ cacheInheritance })),
    });
    expect((await forks.forkMember("planner", child)).cacheInheritance).toEqual(unresolved);
  });

  it.each([{ role: "reviewer" }, { model: "acme/small" }])(
    "is reset by a resume that changes %o",
    async (change) => {
      // F105
      let tries = 0;
      const provisioner = recordingProvisioner(async () => {
        tries += 1;
        if (tries === 1) throw new Error("full");
        return { cacheInheritance: { status: "available", messageCount: 7 } };
      });
      const forks = createForks({ store, provisioner });
      const { details } = await refusalOf("fork_member_provision_failed", forks.forkMember("planner", child));
      const made = await forks.resumeFork({ operationId: details.operationId }, change);
      expect(made.cacheInheritance).toEqual(unresolved);
      expect(provisioner.requests.at(-1)).toMatchObject(change);
    },
  );

  it("stays as given when the resume changes no more than the name", async () => {
    // F105
    let tries = 0;
    const provisioner = recordingProvisioner(async () => {
      tries += 1;
      if (tries === 1) throw new Error("full");
      return { cacheInheritance: { status: "available", messageCount: 7 } };
    });
    const forks = createForks({ store, provisioner });
    const { details } = await refusalOf("fork_member_provision_failed", forks.forkMember("planner", child));
    const made = await forks.resumeFork({ operationId: details.operationId }, { identity: "second" });
    expect(made.cacheInheritance).toEqual({ status: "available", messageCount: 7 });
  });
});
