import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { DialectError } from "../dialect-error.ts";

/** The workspace without symbolic links. @throws DialectError `invalid_option`. */
export async function realWorkspace(workspace: string): Promise<string> {
  const real = isAbsolute(workspace) ? await realpath(workspace).catch(() => undefined) : undefined;
  if (real !== undefined) return real;
  throw new DialectError("invalid_option", `the workspace ${workspace} is no absolute path to a directory`, {
    details: { option: "workspace" },
  });
}
