import { isAbsolute, relative, resolve } from "node:path";
import type { JsonObject } from "@basis/core";
import type { Environment } from "../config/data-dir.ts";
import { pinGrant, type GrantPlace, type GrantRequest, type PinnedGrant } from "../config/grant.ts";
import type { ServerSettings, StdioServer } from "./server-settings.ts";
import { variablesOf } from "./variables.ts";

/** A server of `.mcp.json`, pinned as it stands now. */
export interface AskedServer {
  readonly settings: ServerSettings;
  readonly pinned: PinnedGrant;
  /** Where it was pinned, to look again before each start. */
  readonly place: GrantPlace;
}

/** Pins a server: every field, the variables it is given, and the code of a program. */
export async function pinServer(settings: ServerSettings, place: GrantPlace): Promise<AskedServer> {
  const found = settings.type === "stdio" ? { ...place, env: searchEnvironment(settings, place.env) } : place;
  const pinned = await pinGrant(requestOf(settings, place.workspace), found);
  return { settings, pinned, place: found };
}

function requestOf(settings: ServerSettings, root: string): GrantRequest {
  const { name } = settings;
  const templates = Object.values(settings.type === "stdio" ? settings.env : settings.headers);
  const variables = [...new Set(templates.flatMap((text) => variablesOf(text).names))];
  const asked = { kind: "mcp", name, settings: { ...settings } as unknown as JsonObject, variables } as const;
  if (settings.type === "http") return asked;
  const command = commandFromRoot(settings, root);
  return { ...asked, program: { command, files: settings.files, env: Object.keys(settings.env) } };
}

/** The words of a command as the root sees them: what names a file from `cwd` is spelled from the root. */
function commandFromRoot({ command, args, cwd }: StdioServer, root: string): readonly string[] {
  if (cwd === ".") return [command, ...args];
  return [command, ...args].map((word, index) => {
    const isPath = !isAbsolute(word) && !word.startsWith("-") && (index > 0 || /[/\\]/.test(word));
    return isPath ? relative(root, resolve(root, cwd, word)) || "." : word;
  });
}

/** A PATH that the file sets is where its program is looked for. */
function searchEnvironment({ env: given }: StdioServer, env: Environment): Environment {
  return given["PATH"] === undefined ? env : { ...env, PATH: given["PATH"] };
}
