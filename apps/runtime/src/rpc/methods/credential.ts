import { isAbsolute } from "node:path";
import { z } from "zod";
import type { Consent } from "../../approvals/person.ts";
import { RpcError } from "../rpc-error.ts";
import type { ServerHost } from "../server-host.ts";

/** The path of the file with the token that a person made; the token itself never stands in a message. */
export const tokenFile = z.string().max(4096).refine(isAbsolute, "must be an absolute path").optional();

/** What stands for a person behind a call that grants. @throws RpcError `forbidden` without a credential. */
export function credentialOf(
  { env, dataDir, workspace }: Pick<ServerHost, "env" | "dataDir" | "workspace">,
  file: string | undefined,
  signal: AbortSignal,
): Omit<Consent, "what" | "lines" | "question"> {
  if (file === undefined) throw new RpcError("forbidden", NO_CREDENTIAL, { kind: "credential_missing" });
  return { env, directory: workspace.root, dataDir, tokenFile: file, signal };
}

const NO_CREDENTIAL =
  "it grants authority: give the token_file with the token that 'basis approvals token' made in a terminal, or use the command line there";
