import type { RuleStore } from "@basis/approval";
import { copyDenials } from "@basis/approval/store";
import type { Provisioner } from "@mobkit/fork";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";

/**
 * A provisioner that first gives the fork what its source's session was denied for good, so that nobody can run it
 * without. What the source was allowed, the fork has to ask for itself.
 */
export function inheritDenials(
  provisioner: Provisioner<ModelMessage>,
  { rules, store }: { readonly rules: RuleStore; readonly store: HostStore },
): Provisioner<ModelMessage> {
  const { tearDown, hasRole } = provisioner;
  return {
    ...(tearDown && { tearDown: tearDown.bind(provisioner) }),
    ...(hasRole && { hasRole: hasRole.bind(provisioner) }),
    async provision(request, options) {
      const { parent } = await store.head(request.sessionId, options);
      const there = await rules.list({ scope: "session", within: request.sessionId });
      options.signal.throwIfAborted();
      if (parent !== null && there.length === 0)
        await copyDenials(rules, { from: parent.sessionId, to: request.sessionId });
      return provisioner.provision(request, options);
    },
  };
}
