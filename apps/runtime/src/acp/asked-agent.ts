import { z } from "zod";
import { RpcError } from "../rpc/rpc-error.ts";

const meta = z.object({ basis: z.strictObject({ agent: z.string().min(1).optional() }).optional() });

/** The agent of the folder that `session/new` asks for, by `_meta.basis.agent`. @throws RpcError `invalid_params` */
export function askedAgent({ _meta: given }: { readonly _meta?: unknown }): string | undefined {
  const parsed = meta.safeParse(given ?? {});
  if (parsed.success) return parsed.data.basis?.agent;
  const [issue] = parsed.error.issues;
  const path = ["_meta", ...issue!.path].join(".");
  throw new RpcError("invalid_params", `${path}: ${issue!.message}`, { path });
}
