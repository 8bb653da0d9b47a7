import type { Clock } from "@basis/core";
import type { RuleStore } from "@basis/approval";
import { createForks, type Forks, type Provisioner } from "@mobkit/fork";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { cacheVerdict } from "./cache-verdict.ts";
import { inheritDenials } from "./inherit-denials.ts";

/** What a host's forks are made with. */
export interface HostForksParts {
  readonly store: HostStore;
  readonly rules: RuleStore;
  /** Default: a fork is brought to life by its next run. */
  readonly provisioner?: Provisioner<ModelMessage> | undefined;
  readonly clock?: Clock | undefined;
}

/** Forks as every surface of the host makes them: denials are inherited, and the cache verdict is what the store knows. */
export function hostForks({ store, rules, provisioner, clock }: HostForksParts): Forks<ModelMessage> {
  const inner: Provisioner<ModelMessage> = provisioner ?? {
    async provision({ sessionId, model }, { signal }) {
      const session = await store.head(sessionId, { signal });
      const cacheInheritance = await cacheVerdict(store, { session, length: session.len, model }, signal);
      return { cacheInheritance };
    },
  };
  return createForks<ModelMessage>({ store, provisioner: inheritDenials(inner, { rules, store }), clock });
}
