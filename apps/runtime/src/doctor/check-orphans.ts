import { orphans } from "../tools/survivors.ts";
import type { Finding } from "./finding.ts";

/** Programs that tools of ended hosts started. */
export async function checkOrphans(): Promise<Finding> {
  const found = await orphans();
  const facts = { processes: found };
  const base = { section: "machine", name: "programs", facts } as const;
  if (process.platform !== "linux")
    return { ...base, level: "ok", text: "what tools left running cannot be told on this platform" };
  if (found.length === 0)
    return { ...base, level: "ok", text: "no tool of an ended host has a program running" };
  const named = found.map(({ pid, command, host }) => `${pid} of host ${host} (${command})`);
  return {
    ...base,
    level: "warning",
    text: `tools of ended hosts left programs running: ${named.join("; ")}`,
    fix: `look what they do, then: kill ${found.map(({ pid }) => pid).join(" ")}`,
  };
}
