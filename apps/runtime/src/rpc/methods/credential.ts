import { isAbsolute } from "node:path";
import { z } from "zod";
import type { Consent } from "../../approvals/person.ts";
import { RpcError } from "../rpc-error.ts";
import type { RpcCaller } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";

/** The path of the file with the token that a person made; the token itself never stands in a message. */
export const tokenFile = z.string().max(4096).refine(isAbsolute, "must be an absolute path").optional();

/** What stands for a person behind a call that grants. @throws RpcError `forbidden` without a credential. */
export function credentialOf(
  { env, dataDir, workspace }: Pick<ServerHost, "env" | "dataDir" | "workspace">,
  file: string | undefined,
  { grant, signal }: Pick<RpcCaller, "grant" | "signal">,
): Omit<Consent, "what" | "lines" | "question"> {
  const place = { env, directory: workspace.root, dataDir, signal };
  if (file !== undefined) return { ...place, tokenFile: file };
  if (grant !== undefined) return { ...place, token: grant };
  throw new RpcError("forbidden", NO_CREDENTIAL, { kind: "credential_missing" });
}

const NO_CREDENTIAL =
  "it grants authority: give the token_file with the token that 'basis approvals token' made in a terminal, over HTTP the token itself in the header Basis-Grant, or use the command line there";
