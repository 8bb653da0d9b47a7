import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HookOutcome, JsonInput } from "./types.ts";
import { openHooks, type OpenedHooks } from "@basis/hooks/node";
import { onTestFinished } from "vitest";
import { openDialects, type OpenDialectsOptions, type OpenedDialects } from "../../src/node/index.ts";

/** A workspace of a test, with the chain of its hooks. */
export class Fixture {
  readonly workspace: string;
  readonly trustFile: string;
  readonly reports: string[] = [];

  constructor(root: string) {
    this.workspace = join(root, "workspace");
    this.trustFile = join(root, "state", "trust.json");
  }

  /** Writes a file of the workspace; a script is executable. */
  async file(path: string, content: string): Promise<void> {
    const target = join(this.workspace, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { mode: 0o755 });
  }

  async settings(path: string, value: unknown): Promise<void> {
    await this.file(path, JSON.stringify(value));
  }

  async open(
    options: Partial<OpenDialectsOptions> = {},
  ): Promise<{ dialects: OpenedDialects; chain: OpenedHooks }> {
    const { workspace } = this;
    const report = (message: string): void => void this.reports.push(message);
    const dialects = await openDialects({ workspace, trust: "run", report, ...options });
    const chain = await openHooks({
      workspace,
      discovery: false,
      interceptors: dialects.participants,
      report,
    });
    onTestFinished(async () => {
      await chain.close();
      await dialects.close();
    });
    return { dialects, chain };
  }

  /** Opens the chain and asks it before one call. */
  async ask(
    toolName: string,
    input: JsonInput,
    options: Partial<OpenDialectsOptions> = {},
  ): Promise<HookOutcome> {
    const { chain } = await this.open(options);
    return chain.beforeCall(callOf(toolName, input));
  }
}

export function callOf(toolName: string, input: JsonInput) {
  return { agentId: "main", toolName, toolCallId: "call-1", inputJson: JSON.stringify(input) };
}

export async function makeFixture(): Promise<Fixture> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "basis-dialects-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const fixture = new Fixture(root);
  await mkdir(fixture.workspace, { recursive: true });
  await mkdir(dirname(fixture.trustFile), { recursive: true, mode: 0o700 });
  return fixture;
}

/** Settings of Claude Code with one command for an event. */
export function claudeSettings(command: string, more: Record<string, unknown> = {}) {
  const { event = "PreToolUse", matcher, ...handler } = more;
  const group = {
    ...(matcher !== undefined && { matcher }),
    hooks: [{ type: "command", command, ...handler }],
  };
  return { hooks: { [event as string]: [group] } };
}

export const CLAUDE = ".claude/settings.json";
