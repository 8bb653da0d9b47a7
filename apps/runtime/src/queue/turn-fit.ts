import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { digestJson, sha256 } from "@basis/core";
import { inspectTrust } from "@basis/hooks/trust";
import type { Environment } from "../config/data-dir.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import { fileDigests, shellWords } from "../tools/file-digests.ts";
import type { Tool } from "../tools/tool.ts";
import { version } from "../version.ts";
import type { FitParts, TurnFit } from "./queued-turn.ts";

/** How queued turns are written. A release that writes them otherwise counts it up. */
const FORMAT = 3;

/** The variable that names a workspace which lies in different places on different machines. */
export const WORKSPACE_VARIABLE = "BASIS_WORKSPACE";

/** Where the guards come from. */
export interface FitPlace {
  readonly configDir: string;
  readonly dataDir: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/**
 * What turns of this host need, or what this worker has: the same thing, seen from either end. A worker runs turns whose
 * fit has the same digest, and no others.
 */
export async function turnFit(facts: WorkspaceFacts, place: FitPlace): Promise<TurnFit> {
  const tools = [...facts.tools.values(), ...facts.servers.tools().values()].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const parts: FitParts = {
    format: FORMAT,
    release: compatibleReleases(version),
    workspace: place.env[WORKSPACE_VARIABLE] || facts.root,
    guards: digestJson(await guardFacts(facts, place)),
    policy: digestJson(facts.agents.map(({ name, spec }) => ({ name, spec: specFacts(spec) }))),
    roster: digestJson(tools.map(({ name }) => name)),
    tools: digestJson(tools.map(toolFacts)),
    // By what they say: where a checkout lies differs between machines.
    context: digestJson(facts.contextFiles.map(({ digest }) => digest)),
    skills: digestJson(Object.fromEntries(facts.skills.map(({ name, files }) => [name, files]))),
  };
  return { digest: digestJson(parts), parts };
}

/** The releases that may go on with each other's turns, as version numbers tell it: 1 for 1.4.2, 0.3 for 0.3.9. */
export function compatibleReleases(release: string): string {
  const [major = "0", minor = "0"] = release.split(".");
  if (major !== "0") return major;
  return minor === "0" ? release : `0.${minor}`;
}

/** The guards as they are asked, the bytes of the files that say so, and those of the programs that these name. */
async function guardFacts(facts: WorkspaceFacts, { configDir, dataDir, env, signal }: FitPlace) {
  const { root, hooks } = facts;
  const trusted = await inspectTrust({
    workspace: root,
    trustFile: join(dataDir, "trust.json"),
    env,
    signal,
  });
  const globalFile = await readFile(join(configDir, "hooks.json"), "utf8").catch(() => "");
  return {
    asked: hooks.participants.map(({ who, rank, events, tools, effect, onFailure, shadow }) => ({
      who,
      rank,
      events,
      onFailure,
      shadow,
      tools: tools ?? null,
      effect: effect ?? null,
    })),
    workspace: trusted.digest,
    global: sha256(globalFile),
    programs: await fileDigests("/", shellWords(globalFile)),
  };
}

function specFacts({ roster, ...spec }: WorkspaceFacts["agents"][number]["spec"]) {
  return { ...JSON.parse(JSON.stringify(spec)), roster: roster?.form() ?? null };
}

function toolFacts({ name, description, inputSchema, level, effect, source, identity, timeoutMs }: Tool) {
  const optional = { effect: effect ?? null, identity: identity ?? null, timeoutMs: timeoutMs ?? null };
  return { name, description, inputSchema, level, source, ...optional };
}
