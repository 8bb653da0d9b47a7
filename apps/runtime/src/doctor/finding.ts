/** How a checked thing stands: a `problem` keeps a run from starting or puts data at risk. */
export type FindingLevel = "ok" | "warning" | "problem";

/** One thing that was looked at. Nothing in it is a secret. */
export interface Finding {
  readonly section: "machine" | "data" | "store" | "models" | "workspace" | "online";
  readonly name: string;
  readonly level: FindingLevel;
  readonly text: string;
  /** What to do; absent when all is well. */
  readonly fix?: string;
  /** The figures behind it. */
  readonly facts?: object;
}

/** What findings come to. */
export function worstOf(findings: readonly Finding[]): FindingLevel {
  const levels = findings.map(({ level }) => level);
  return levels.includes("problem") ? "problem" : levels.includes("warning") ? "warning" : "ok";
}
