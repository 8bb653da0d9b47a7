import type { ForkStore } from "../../src/index.ts";
import type { ModelMessage } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import type { Store } from "./stores.ts";

/** A step of the fork protocol at the store. */
export type Step =
  | "commit"
  | "seat"
  | "fail"
  | "claim"
  | "renew"
  | "ofKey"
  | "get"
  | "member"
  | "holder"
  | "sideState";

/** How a step goes wrong: the store did nothing, or it did all and the answer was lost. */
export type Fault = "before" | "after";

/** The faults of each step's next calls, in order. */
export type FaultPlan = Readonly<Partial<Record<Step, readonly Fault[]>>>;

/** A store whose next calls go wrong as planned; everything else is the store's own. */
export function faultyStore(store: Store, plan: FaultPlan): ForkStore<ModelMessage> {
  const left = new Map(Object.entries(plan).map(([step, faults]) => [step, [...faults]]));
  const guard =
    <Args extends unknown[], Answer>(step: Step, call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      const fault = left.get(step)?.shift();
      if (fault === "before") throw lost();
      const answer = await call(...args);
      if (fault === "after") throw lost();
      return answer;
    };
  const { forks, operations, members } = store;
  return {
    shape: store.shape,
    capabilities: store.capabilities,
    sideState: guard("sideState", store.sideState),
    members: { get: guard("member", members.get), holder: guard("holder", members.holder) },
    operations: {
      ...operations,
      get: guard("get", operations.get),
      ofKey: guard("ofKey", operations.ofKey),
      claim: guard("claim", operations.claim),
      renew: guard("renew", operations.renew),
      fail: guard("fail", operations.fail),
    },
    forks: { commit: guard("commit", forks.commit), seat: guard("seat", forks.seat), abandon: forks.abandon },
  };
}

function lost(): SessionError {
  return new SessionError("store_unavailable", "the connection was lost", {
    details: { reason: "connection" },
  });
}
