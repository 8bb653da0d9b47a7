import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { untilAborted, type Clock } from "@basis/core";
import type { Environment } from "../config/data-dir.ts";
import type { PinnedGrant } from "../config/grant.ts";
import { secrets } from "../secrets/secrets.ts";
import { LINEAGE_VARIABLE, markGiven, ownMark } from "../tools/lineage-mark.ts";
import { baselineEnvironment } from "../tools/run-process.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { LineTransport } from "./line-transport.ts";
import type { StartProgram } from "./server-program.ts";
import type { HttpServer, ServerSettings, StdioServer } from "./server-settings.ts";
import { expandVariables } from "./variables.ts";

/** What a server is launched with. */
export interface LaunchPlace {
  /** The workspace's real root. */
  readonly root: string;
  /** The host's variables. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly startProgram: StartProgram;
}

/** A way to a server, not begun yet. */
export interface Launch {
  readonly transport: Transport;
  /** Why the way ended, where it can tell. */
  endReason(): string | undefined;
  /** Takes leave of a server that would wait otherwise; bounded in time, and never rejects. */
  leave(): Promise<void>;
}

const LEAVE_MS = 1_000;

/** A server cannot be launched, in words for its operator. */
export class LaunchError extends Error {
  override readonly name = "LaunchError";
}

/** Settles program, environment and headers of a granted server. @throws LaunchError */
export function launchServer(settings: ServerSettings, granted: PinnedGrant, place: LaunchPlace): Launch {
  const values = grantedValues(granted, place.env);
  return settings.type === "stdio"
    ? launchProgram(settings, { granted, values, place })
    : launchHttp(settings, values, place.clock);
}

interface ProgramParts {
  readonly granted: PinnedGrant;
  readonly values: ReadonlyMap<string, string>;
  readonly place: LaunchPlace;
}

function launchProgram(settings: StdioServer, { granted, values, place }: ProgramParts): Launch {
  const { root, clock, startProgram } = place;
  const { programPath } = granted;
  if (programPath === undefined) throw new LaunchError(`there is no program '${settings.command}'`);
  const env = serverEnvironment(settings, values, place);
  markGiven();
  const cwd = realDirectory(resolve(root, settings.cwd));
  const program = { program: programPath, args: settings.args, cwd, env };
  const transport = new LineTransport({ program, start: startProgram, clock });
  return { transport, endReason: () => transport.endReason(), leave: async () => undefined };
}

/**
 * The baseline and what the file sets. A PATH of the file's own loses what a repository could fill, like any other; the
 * mark of an agent's programs stays.
 */
export function serverEnvironment(
  { env: given }: Pick<StdioServer, "env">,
  values: ReadonlyMap<string, string>,
  { env, root }: Pick<LaunchPlace, "env" | "root">,
): Readonly<Record<string, string>> {
  const set = Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, expandVariables(text, values)]),
  );
  const baseline = baselineEnvironment({ ...env, PATH: set["PATH"] ?? env["PATH"] }, root);
  const { PATH = "", [LINEAGE_VARIABLE]: lineage = ownMark } = baseline;
  return { ...baseline, ...set, PATH, [LINEAGE_VARIABLE]: lineage };
}

function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new LaunchError(`there is no directory ${path}; correct its 'cwd'`);
  }
}

function launchHttp({ url, headers }: HttpServer, values: ReadonlyMap<string, string>, clock: Clock): Launch {
  const sent = Object.entries(headers).map(([name, text]) => {
    const value = expandVariables(text, values);
    if (!/^[\t\x20-\x7e]*$/.test(value))
      throw new LaunchError(`its header '${name}' would hold characters that no header has`);
    return [name, value] as const;
  });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: Object.fromEntries(sent), redirect: "error" },
    fetch: boundedFetch(),
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 2,
    },
  });
  const leave = async (): Promise<void> => {
    const over = new AbortController();
    const stopAlarm = clock.alarm(LEAVE_MS, () => over.abort());
    await untilAborted(over.signal, () => transport.terminateSession()).catch(() => undefined);
    stopAlarm();
  };
  return { transport, endReason: () => undefined, leave };
}

/** The values of the variables that the grant names. @throws LaunchError for one that is not set. */
function grantedValues({ grant }: PinnedGrant, env: Environment): ReadonlyMap<string, string> {
  const missing = grant.variables.filter((name) => !env[name]);
  if (missing.length > 0) throw new LaunchError(`${missing.join(", ")} is not set`);
  // What a server prints may hold what it was given.
  for (const name of grant.variables) secrets.add(env[name]!, name);
  return new Map(grant.variables.map((name) => [name, env[name]!]));
}
