import { untilAborted } from "@basis/core";
import { ForkError } from "./fork-error.ts";
import type { Provisioner } from "./fork-ports.ts";
import type { IdentityAuthority } from "./identity-authority.ts";
import { resolveAlias } from "./source-pin.ts";
import { memberExists } from "./store-refusal.ts";

/**
 * Refuses a child name that belongs to a durable identity.
 *
 * @throws ForkError `invalid_request` when the request is looked at; `member_already_exists` under the name's guard,
 * where it can only mean a race that was lost.
 */
export async function refuseOwnedName(
  name: {
    readonly authority: IdentityAuthority | undefined;
    readonly child: string;
    readonly signal: AbortSignal;
  },
  stage: "request" | "guard",
): Promise<void> {
  const { authority, child, signal } = name;
  if (authority === undefined) return;
  const owner = await resolveAlias({ alias: child, signal }, authority);
  if (owner === undefined) return;
  if (stage === "guard") throw memberExists(child, "seated");
  throw new ForkError(
    "invalid_request",
    `child identity ${JSON.stringify(child)} is owned by durable identity ${JSON.stringify(owner.identity)}`,
    { details: { reason: "owned_name", field: "spec.identity" } },
  );
}

/**
 * Refuses a role that the provisioner does not know.
 *
 * @throws ForkError `invalid_request`.
 */
export async function refuseUnknownRole(
  provisioner: Pick<Provisioner<never>, "hasRole">,
  role: string,
  signal: AbortSignal,
): Promise<void> {
  if (provisioner.hasRole === undefined) return;
  if (await untilAborted(signal, () => provisioner.hasRole!(role, { signal }))) return;
  throw new ForkError("invalid_request", `unknown role ${JSON.stringify(role)}`, {
    details: { reason: "unknown_role", field: "spec.role" },
  });
}
