import { existsSync } from "node:fs";
import { join } from "node:path";
import { configDirectory, dataDirectory, type Environment } from "../config/data-dir.ts";
import { trustReport, type TrustReport } from "../host/trust-report.ts";
import { readAskedTools } from "../host/workspace-tools.ts";
import { openWorkspaceFacts } from "../host/workspace.ts";
import type { Finding } from "./finding.ts";

/** Which workspace is looked at. */
export interface CheckedWorkspace {
  readonly directory: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Files of a workspace, and of the operator, that guard runs or may start something. */
const guarding = [".basis/hooks.json", ".mcp.json", ".basis/tools.json"];

/** Whether the workspace's files are right, and whether they are trusted. Nothing of them is started. */
export async function checkWorkspace(place: CheckedWorkspace): Promise<readonly Finding[]> {
  return [checkFiles(place), await checkValidity(place), ...(await checkTrust(place))];
}

function checkFiles({ directory, env }: CheckedWorkspace): Finding {
  const here = guarding.filter((path) => existsSync(join(directory, path)));
  const operator = join(configDirectory(env), "hooks.json");
  const all = [...here, ...(existsSync(operator) ? [operator] : [])];
  const text = all.length === 0 ? "no hooks, servers or tools" : all.join(", ");
  return { section: "workspace", name: "files", level: "ok", text, facts: { files: all } };
}

async function checkValidity({ directory, env, signal }: CheckedWorkspace): Promise<Finding> {
  const found = { section: "workspace", name: "validity" } as const;
  try {
    const facts = await openWorkspaceFacts({
      directory,
      configDir: configDirectory(env),
      env,
      trust: "skip",
      startServers: false,
      report: () => undefined,
      signal,
    });
    await facts.close();
    return { ...found, level: "ok", text: "a run could read all of them" };
  } catch (error) {
    signal.throwIfAborted();
    return { ...found, level: "problem", text: (error as Error).message, fix: "correct what is named" };
  }
}

async function checkTrust({ directory, env, signal }: CheckedWorkspace): Promise<readonly Finding[]> {
  const found = { section: "workspace", name: "trust" } as const;
  let report: TrustReport;
  try {
    const place = { workspace: directory, trustFile: join(dataDirectory(env), "trust.json"), env, signal };
    report = await trustReport(place, await readAskedTools(place));
  } catch (error) {
    signal.throwIfAborted();
    const text = `it cannot be told: ${(error as Error).message}`;
    return [
      {
        ...found,
        level: "problem",
        text,
        fix: "correct what is named; a broken trust.json is deleted and trusted anew",
      },
    ];
  }
  const { state, digest, things } = report;
  const facts = { state, digest, things: things.map(({ what, state: each }) => ({ what, state: each })) };
  if (state === "nothing to trust") return [{ ...found, level: "ok", text: state, facts }];
  if (state === "trusted") return [{ ...found, level: "ok", text: `all ${things.length} trusted`, facts }];
  const open = things.filter((thing) => thing.state !== "trusted");
  const text = `${state}: ${open.map(({ what, state: each }) => `${what} (${each})`).join(", ")}; a run refuses to start`;
  return [{ ...found, level: "problem", text, fix: "read them, then: basis trust", facts }];
}
