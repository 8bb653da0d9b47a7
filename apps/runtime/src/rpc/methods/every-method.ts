import { version } from "../../version.ts";
import type { MethodEntry, RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";

/** Methods that are loaded together, with the first call of one of them. */
interface MethodGroup {
  readonly names: readonly string[];
  /** Those that are let in when the server is full. */
  readonly urgent?: readonly string[];
  load(host: ServerHost): Promise<readonly RpcMethod[]>;
}

const groups: readonly MethodGroup[] = [
  {
    names: ["runs/start", "runs/wait", "runs/stop", "runs/cancel", "runs/list"],
    urgent: ["runs/stop", "runs/cancel"],
    load: async (host) => (await import("./run-methods.ts")).runMethods(host),
  },
  {
    names: ["sessions/list", "sessions/read", "sessions/compact"],
    load: async (host) => (await import("./session-methods.ts")).sessionMethods(host),
  },
  {
    names: ["events/read", "events/subscribe", "events/unsubscribe"],
    urgent: ["events/unsubscribe"],
    load: async (host) => (await import("./event-methods.ts")).eventMethods(host),
  },
  {
    names: ["approvals/list", "approvals/preview", "approvals/answer"],
    load: async (host) => (await import("./approval-methods.ts")).approvalMethods(host),
  },
  {
    names: ["rules/list", "rules/revoke"],
    load: async (host) => (await import("./rule-methods.ts")).ruleMethods(host),
  },
  {
    names: [
      "mobkit/fork_member",
      "mobkit/resume_fork",
      "mobkit/abandon_fork",
      "mobkit/fork_status",
      "mobkit/list_forks",
    ],
    load: async (host) => (await import("./fork-methods.ts")).forkMethods(host),
  },
  {
    names: ["mobkit/fork_helper"],
    load: async (host) => [(await import("./one-shot-member.ts")).forkHelper(host)],
  },
];

/**
 * Everything that a server can be asked, whatever its transport. Its first answer waits for none of it: what checks
 * parameters takes longer to load than most calls to answer.
 */
export function everyMethod(host: ServerHost): readonly (RpcMethod | MethodEntry)[] {
  const entries = groups.flatMap((group) => entriesOf(group, host));
  const names = ["server/info", ...entries.map(({ name }) => name)].toSorted();
  const info: RpcMethod = {
    name: "server/info",
    params: noParameters,
    async call() {
      const { problem } = await host.workspace.current();
      const { root } = host.workspace;
      const known = { name: "basis", version, protocol: 1, workspace: root, methods: names };
      return { ...known, ...(problem !== undefined && { workspace_problem: problem }) };
    },
  };
  return [info, ...entries];
}

function entriesOf({ names, urgent = [], load }: MethodGroup, host: ServerHost): readonly MethodEntry[] {
  let loading: Promise<readonly RpcMethod[]> | undefined;
  return names.map((name) => ({
    name,
    urgent: urgent.includes(name),
    async load() {
      loading ??= load(host);
      const found = (await loading).find((method) => method.name === name);
      if (found === undefined) throw new Error(`no method ${name} was written down`);
      return found;
    },
  }));
}

/** Takes an object without fields. */
const noParameters: RpcMethod["params"] = {
  safeParse(given) {
    const names = Object.keys(given);
    if (names.length === 0) return { success: true, data: {} };
    const issues = names.map((name) => ({ path: [], message: `Unrecognized key: ${JSON.stringify(name)}` }));
    return { success: false, error: { issues } };
  },
};
