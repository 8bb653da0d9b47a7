import { systemClock, type Clock } from "@basis/core";
import type { HookParticipant, HookRequest, ParticipantRank } from "@basis/hooks";
import type { Environment } from "@basis/hooks/node";
import { childEnvironment, openCommandRunner } from "@basis/hooks/process";
import type { DialectLevel, Difference, SessionFacts } from "../bridge/dialect.ts";
import { differencesOf, findDialect } from "../bridge/dialects.ts";
import { RUNTIME_TOOLS, type ToolAlias } from "../bridge/tool-alias.ts";
import type { LeftOut } from "../settings/entry.ts";
import type { AskPerson } from "./answer-of.ts";
import { dialectParticipant, type DialectHost } from "./dialect-participant.ts";
import { realWorkspace } from "./real-workspace.ts";
import { refuseGone, settleTrust, type TrustedFile } from "./settle-trust.ts";
import { readSettingsFiles, type ReadFile, type SettingsFile } from "./settings-files.ts";
import { warnOfUnmatched } from "./unmatched.ts";

/** How other tools' hooks are opened. */
export interface OpenDialectsOptions {
  /** An absolute path; symbolic links are resolved. */
  readonly workspace: string;
  /** The settings files. Default: those that the workspace has. */
  readonly files?: readonly SettingsFile[] | undefined;
  /** Default `hardened`. */
  readonly level?: DialectLevel | undefined;
  /** How the host's tools are shown to the hooks. Default `RUNTIME_TOOLS`; other tools keep their names. */
  readonly tools?: Readonly<Record<string, ToolAlias>> | undefined;
  /** The tools there are: a hook whose matcher means none of them is reported. */
  readonly knownTools?: readonly string[] | undefined;
  /** Events, or JSON pointers of entries, that the host goes without although they could have stopped something. */
  readonly leaveOut?: readonly string[] | undefined;
  /** What happens to hooks that nobody has trusted. Default `refuse`. */
  readonly trust?: "refuse" | "skip" | "run" | undefined;
  /** The user's record of trust (`trustDialects`). What differs from it refuses in every mode. */
  readonly trustFile?: string | undefined;
  /** Default `workspace`. */
  readonly rank?: ParticipantRank | undefined;
  /** Asked when a hook wants a person to decide. Without it such an answer denies. */
  readonly askPerson?: AskPerson | undefined;
  /** Names of variables that every hook gets beside the baseline and its vendor's own. */
  readonly env?: readonly string[] | undefined;
  /** What hooks are told. Default: the agent's id, and no transcript. */
  readonly session?: ((request: HookRequest) => SessionFacts) | undefined;
  /** Default: one line to `console.error`. */
  readonly report?: ((message: string) => void) | undefined;
  /** The host's variables. Default `process.env`. */
  readonly hostEnv?: Environment | undefined;
  /** Default 8 MiB. */
  readonly maxRequestBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  /** As in `openHooks`. */
  readonly launcher?: boolean | undefined;
  /** Ends the opening. */
  readonly signal?: AbortSignal | undefined;
}

/** Other tools' hooks, ready for a chain. */
export interface OpenedDialects {
  /** For `interceptors` of `openHooks`, or `participants` of `createHookChain`. */
  readonly participants: readonly HookParticipant[];
  /** Entries that are not among them: what only tells, and what `leaveOut` names. */
  readonly leftOut: readonly (LeftOut & { readonly path: string })[];
  /** Where the dialects that were read decide otherwise than their vendors; empty when `faithful`. */
  readonly differences: readonly Difference[];
  /** Ends what runs in the background and waits for it. Close the chain first. */
  close(): Promise<void>;
}

/**
 * Opens the hooks of other tools' settings as participants of a chain. Everything is checked before anything runs.
 *
 * @throws DialectError for settings that cannot be read whole, HookError `untrusted_workspace`, `modified_workspace`,
 *   `unreadable_file`, `invalid_trust_file`.
 */
export async function openDialects(options: OpenDialectsOptions): Promise<OpenedDialects> {
  const { level = "hardened", rank = "workspace", launcher, signal } = options;
  const report = options.report ?? ((message: string) => console.error(message));
  const workspace = await realWorkspace(options.workspace);
  const read = await readSettingsFiles({ ...options, workspace });
  if (options.files === undefined) await refuseGone(read, { ...options, workspace });
  const trusted: TrustedFile[] = [];
  for (const file of read) trusted.push(await settleTrust(file, { ...options, workspace, report }));
  signal?.throwIfAborted();
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const runner = openCommandRunner(launcher === undefined ? {} : { launcher });
  const track = (promise: Promise<unknown>): void => {
    running.add(promise);
    void promise.then(() => running.delete(promise));
  };
  const shared = { ...hostOf(options, workspace), level, report, runner, closing: closing.signal, track };
  const participants = trusted.flatMap(({ file, runs, problemOf }) => {
    const dialect = findDialect(file.dialect)!;
    const host: DialectHost = { ...shared, problemOf, env: environmentOf(file, options, workspace) };
    return runs ? file.hooks.map((hook) => dialectParticipant(hook, dialect, { rank, host })) : [];
  });
  warnOfUnmatched(read, { ...options, workspace, aliases: shared.aliases, report });
  const names = [...new Set(read.map(({ dialect }) => dialect))];
  return {
    participants,
    leftOut: read.flatMap(({ path, leftOut }) => leftOut.map((entry) => ({ path, ...entry }))),
    differences: level === "faithful" ? [] : names.flatMap(differencesOf),
    async close() {
      closing.abort();
      await Promise.all(running);
      await runner.close();
    },
  };
}

function hostOf(
  { tools = RUNTIME_TOOLS, session, clock = systemClock, maxRequestBytes, askPerson }: OpenDialectsOptions,
  workspace: string,
): Pick<DialectHost, "workspace" | "aliases" | "session" | "clock" | "maxRequestBytes" | "askPerson"> {
  return {
    workspace,
    aliases: tools,
    session: session ?? (({ agentId }) => ({ sessionId: agentId, transcriptPath: "" })),
    clock,
    maxRequestBytes: maxRequestBytes ?? 8 * 1024 * 1024,
    askPerson,
  };
}

function environmentOf(
  { dialect, pluginRoot }: ReadFile,
  { hostEnv = process.env, env: granted = [] }: OpenDialectsOptions,
  workspace: string,
): DialectHost["env"] {
  const base = childEnvironment(hostEnv, { workspace, granted });
  const vendor = findDialect(dialect)!;
  return (hook, { sessionId }) => ({
    ...base,
    ...vendor.env({ workspace, pluginRoot, sessionId }),
    ...hook.env,
  });
}
