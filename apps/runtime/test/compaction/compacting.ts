import { summaryFacts } from "../../src/providers/summary-message.ts";
import type { ModelMessage, ModelRequest } from "../../src/providers/model.ts";
import { probeTool } from "../harness/probe-tool.ts";
import type { ScriptedAgents, ScriptedStep } from "../harness/scripted-source.ts";
import { calls, openTestHost, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

/** A text of about so many tokens. */
export function long(word: string, tokens: number): string {
  return `${word} `.repeat(Math.ceil((tokens * 4) / (word.length + 1)));
}

/** Turns of two rounds: a call, then an answer of some length. */
export function longTurns(count: number, tokens = 500): readonly ScriptedStep[] {
  return Array.from({ length: count }, (_, turn) => [
    { text: `look ${turn}`, ...calls({ name: "probe", input: { value: `v${turn}` }, id: `c${turn}` }) },
    { text: `answer ${turn}: ${long("word", tokens)}` },
  ]).flat();
}

/** A summary for any request. */
export const anySummary: ScriptedStep = {
  text: "SUMMARY of it",
  usage: { inputTokens: 900, outputTokens: 20 },
};

/** A host whose agent calls `probe`, with a script for summaries. */
export function compactingHost(
  main: readonly ScriptedStep[],
  compaction: readonly ScriptedStep[] = [anySummary],
  options: TestHostOptions = {},
): Promise<TestHost> {
  const agents: ScriptedAgents = { main, compaction };
  return openTestHost({ agents, tools: [probeTool("probe")], ...options });
}

/** Runs turns in one session and answers its id. */
export async function talk(host: TestHost, prompts: readonly string[], sessionId?: string): Promise<string> {
  let id = sessionId;
  for (const prompt of prompts) {
    const report = await host.run(prompt, id === undefined ? {} : { sessionId: id });
    if (report.outcome !== "completed") throw report.failure;
    id = report.transcript!.sessionId;
  }
  return id!;
}

/** The messages of a request in short: roles, a summary as such. */
export function shapeOf({ messages }: Pick<ModelRequest, "messages">): readonly string[] {
  return messages.map(brief);
}

/** A message in short. */
export function brief(message: ModelMessage): string {
  if (summaryFacts(message) !== undefined) return "summary";
  return message.role === "user" ? `user:${said(message).slice(0, 12)}` : message.role;
}

/** What a message of plain text says. */
export function said({ content }: ModelMessage): string {
  if (typeof content !== "string") throw new Error("it has parts");
  return content;
}

/** The types of a session's events, without what this suite does not look at. */
export async function compactionEvents(host: TestHost, session: string) {
  const told = [];
  for await (const event of host.state.events.read(session))
    if (event.type.startsWith("compaction_")) told.push(event);
  return told;
}
