import { memoryStore } from "@mobkit/session";
import { expect, it } from "vitest";
import { createForks } from "../src/index.ts";
import { story } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { seed } from "./support/sessions.ts";
import { stores } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

it.each(stores)(
  "a result of the $name store names what the store lacks, also when replayed",
  async (kind) => {
    const store = await kind.open();
    await seed(store, "planner", story);
    const forks = createForks({ store, provisioner: recordingProvisioner() });
    const made = await forks.forkMember("planner", child);
    expect(made.degraded).toEqual(kind.name === "memory" ? ["durable"] : []);
    const again = await forks.resumeFork({ operationId: made.operationId });
    expect(again.degraded).toEqual(made.degraded);
  },
);

it("each capability that a store says it lacks is named", async () => {
  const store = memoryStore();
  await seed(store, "planner", story);
  const capabilities = { ...store.capabilities, zeroCopyFork: false, fencing: false };
  const forks = createForks({ store: { ...store, capabilities }, provisioner: recordingProvisioner() });
  const made = await forks.forkMember("planner", child);
  expect(made.degraded).toEqual(["zeroCopyFork", "fencing", "durable"]);
});
