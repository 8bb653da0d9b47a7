import type { CallRecord } from "@basis/hooks";
import { openHooks, type OpenedHooks, type TrustCandidate } from "@basis/hooks/node";
import { MCP_PREFIX } from "../mcp/tool-name.ts";
import type { WorkspaceOptions } from "./workspace.ts";

/** What guards are opened with beside the workspace's options. */
export interface GuardParts {
  readonly root: string;
  readonly onTrail: (record: CallRecord) => void;
  /** Names of the tools that there are; read whenever the hooks are. */
  readonly knownTools: readonly string[];
  /** Told of what the chain itself has to say, as long as it says something that nobody else does. */
  readonly report: (text: string) => void;
}

/** Opens the chain of the host's interceptors and of the hooks that were found. @throws HookError */
export function openGuards(
  options: WorkspaceOptions,
  { root, onTrail, knownTools, report }: GuardParts,
): Promise<OpenedHooks> {
  return openHooks({
    workspace: root,
    globalDir: options.configDir,
    interceptors: options.interceptors,
    specs: options.hooks,
    trust: options.trust,
    trustFile: options.trustFile,
    isTrusted: options.isTrusted,
    knownTools,
    report: (message) => {
      // Which tools a server has is not known yet.
      if (!message.includes(`tool '${MCP_PREFIX}`)) report(message);
    },
    onTrail,
    env: options.env,
    signal: options.signal,
  });
}

/** What is wrong with the files of hooks, to be told beside what else is wrong; nothing of them is started. */
export async function problemsOfHooks(
  { configDir: globalDir, env, signal }: WorkspaceOptions,
  workspace: string,
): Promise<readonly unknown[]> {
  const report = (): void => undefined;
  const how = { trust: "run", launcher: false, report } as const;
  try {
    const read = await openHooks({ workspace, globalDir, env, signal, ...how });
    await read.close();
    return [];
  } catch (error) {
    return [error];
  }
}

/** A yes that was given for one start: it holds for what was looked at then, and for nothing that came later. */
export function yesOfTheStart(isTrusted: WorkspaceOptions["isTrusted"]): {
  readonly isTrusted: WorkspaceOptions["isTrusted"];
  /** The start is over. */
  end(): void;
} {
  const trusted = new Set<string>();
  let isOver = false;
  const judge = async (candidate: TrustCandidate): Promise<boolean> => {
    const key = JSON.stringify([candidate.path, candidate.digest]);
    if (isOver) return trusted.has(key);
    const answer = (await isTrusted?.(candidate)) === true;
    if (answer) trusted.add(key);
    return answer;
  };
  return {
    isTrusted: isTrusted && judge,
    end: () => {
      isOver = true;
    },
  };
}
