import { resolve } from "node:path";
import type { Clock, JsonValue } from "@basis/core";
import type { AskContext, HookAnswer, HookParticipant, HookRequest, ParticipantRank } from "@basis/hooks";
import { resolveProgram, type CommandRunner } from "@basis/hooks/process";
import type { Dialect, DialectCall, DialectHook, DialectLevel, SessionFacts } from "../bridge/dialect.ts";
import { viewTool, type ToolAlias, type ToolView } from "../bridge/tool-alias.ts";
import { answerOf, type Question } from "./answer-of.ts";
import { failure, noSuchProgram, readEnd, type Ending } from "./read-end.ts";

/** Where a file's hooks run. */
export interface DialectHost {
  readonly workspace: string;
  readonly level: DialectLevel;
  readonly aliases: Readonly<Record<string, ToolAlias>>;
  readonly session: (request: HookRequest) => SessionFacts;
  /** The variables of a hook's program. */
  readonly env: (hook: DialectHook, session: SessionFacts) => Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly runner: CommandRunner;
  readonly maxRequestBytes: number;
  readonly askPerson: Question["askPerson"];
  readonly report: (message: string) => void;
  /** Why the file's code is not what was trusted; undefined when it is, or nobody vouched for it. */
  readonly problemOf: (signal: AbortSignal) => Promise<string | undefined>;
  /** Ends what runs in the background. */
  readonly closing: AbortSignal;
  readonly track: (running: Promise<unknown>) => void;
}

const ALLOW: HookAnswer = Object.freeze({ decision: "allow" });

/** The participant of one entry. Calls that its event, matcher and condition do not mean are allowed at once. */
export function dialectParticipant(
  hook: DialectHook,
  dialect: Dialect,
  { rank, host }: { readonly rank: ParticipantRank; readonly host: DialectHost },
): HookParticipant {
  const asked = new AskedHook(hook, dialect, host);
  return {
    kind: "hook",
    name: hook.name,
    rank,
    events: [hook.moment],
    onFailure: hook.onFailure ?? "deny",
    intercept: (request, context) => asked.intercept(request, context),
  };
}

class AskedHook {
  readonly #hook: DialectHook;
  readonly #dialect: Dialect;
  readonly #host: DialectHost;

  constructor(hook: DialectHook, dialect: Dialect, host: DialectHost) {
    this.#hook = hook;
    this.#dialect = dialect;
    this.#host = host;
  }

  intercept(request: HookRequest, context: AskContext): HookAnswer | Promise<HookAnswer> {
    const { aliases, workspace, track } = this.#host;
    const { toolName, toolSource } = request;
    const view = viewTool(this.#dialect.tools, aliases, { toolName, toolSource, workspace });
    const call = callOf(request, view, this.#host.clock.now());
    if (!this.#dialect.matches(this.#hook, call)) return ALLOW;
    const answer = this.#answer({ request, view, call }, context);
    track(answer.catch(() => undefined));
    return answer;
  }

  async #answer(
    { request, view, call }: { request: HookRequest; view: ToolView; call: DialectCall },
    { signal }: AskContext,
  ): Promise<HookAnswer> {
    const { level, askPerson, report, problemOf, closing, track } = this.#host;
    const problem = await problemOf(signal);
    if (problem !== undefined) {
      report(`hook '${this.#hook.name}' denies: its code is not what was trusted: ${problem}`);
      return { decision: "deny", reason: `its code is not what was trusted: ${problem}` };
    }
    if (this.#hook.isAsync) {
      track(
        this.#run({ request, call }, closing).then(
          (end) => this.#tellLate(end),
          () => undefined,
        ),
      );
      return ALLOW;
    }
    const decoded = await this.#run({ request, call }, signal);
    const about = { hook: this.#hook, request, view, shown: call.input };
    return answerOf(decoded, level, { ...about, askPerson, report, signal, closing });
  }

  /** What a hook of the background objects to has happened already: only the reporter hears of it. */
  #tellLate({ decoded, stderr }: Ending): void {
    if (decoded.kind === "allow") return;
    const said = "text" in decoded ? decoded.text : "message" in decoded ? decoded.message : decoded.reason;
    const words = [...new Set([said, stderr])].filter((text) => text !== undefined && text !== "").join(": ");
    this.#host.report(`hook '${this.#hook.name}' decides nothing in the background, and said: ${words}`);
  }

  async #run(
    { request, call }: { request: HookRequest; call: DialectCall },
    signal: AbortSignal,
  ): Promise<Ending> {
    const { workspace, clock, runner, maxRequestBytes } = this.#host;
    const { timeoutMs } = this.#hook;
    const session = this.#host.session(request);
    const stdin = JSON.stringify(this.#dialect.stdin(this.#hook, call, session));
    if (Buffer.byteLength(stdin) > maxRequestBytes)
      throw failure(
        "request_too_large",
        `cannot be asked: the request is larger than ${maxRequestBytes} bytes`,
      );
    const env = this.#host.env(this.#hook, session);
    const [name = "", ...args] = commandLine(this.#hook.command, env);
    const program = resolveProgram(name, { workspace, env });
    if (program === undefined) return noSuchProgram(name);
    const end = await runner.run({
      program,
      args,
      cwd: resolve(workspace, this.#hook.cwd ?? "."),
      env,
      stdin,
      timeoutMs,
      signal,
      clock,
    });
    return readEnd(end, { hook: this.#hook, dialect: this.#dialect });
  }
}

/** A line goes to a shell that reads no profile; in a list the entry's own variables stand for their values. */
function commandLine(
  command: DialectHook["command"],
  env: Readonly<Record<string, string>>,
): readonly string[] {
  if (typeof command === "string") return ["bash", "-c", command];
  return command.map((word) =>
    word.replaceAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (whole, name: string) =>
      Object.hasOwn(env, name) ? env[name]! : whole,
    ),
  );
}

function callOf(request: HookRequest, view: ToolView, now: number): DialectCall {
  const { toolCallId, agentId, workspace, depth = 0 } = request;
  const result =
    request.event === "post_tool_use" ? { output: request.output, isError: request.isError } : undefined;
  const input: JsonValue = view.show(request.input);
  const { name: toolName, names, kind, server } = view;
  const about = { toolName, names, kind, server, input, toolCallId, agentId };
  return { ...about, isChild: depth > 0, cwd: workspace, now, result };
}
