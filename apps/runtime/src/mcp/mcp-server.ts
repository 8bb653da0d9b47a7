import { joinSignals, untilAborted, visibleText, type Clock, type JsonObject } from "@basis/core";
import { ToolFailure, type ToolContext, type ToolOutcome } from "../tools/tool.ts";
import type { InputCheck } from "../tools/input-check.ts";
import { ListRefresh } from "./list-refresh.ts";
import { LostError, makeCall } from "./make-call.ts";
import type { McpTool, ToolServer } from "./mcp-tool.ts";
import { readToolList } from "./read-tool-list.ts";
import type { Launch } from "./server-launch.ts";
import { openLink, type ServerLink } from "./server-link.ts";
import { reachedBy, type ServerSettings } from "./server-settings.ts";
import type { ServerState, ServerStatus } from "./server-state.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** Longest time that a start goes on in the background. */
const MAX_START_MS = 60_000;
/** What a server works with. */
export interface ServerParts {
  readonly settings: ServerSettings;
  readonly configDigest: string;
  /** Looks whether it is still what was trusted, and settles how it is reached. Throws what keeps it from that. */
  readonly launch: () => Promise<Launch>;
  readonly root: string;
  readonly clock: Clock;
  readonly compile: (schema: JsonObject) => Promise<InputCheck>;
  readonly announce: (status: ServerStatus) => void;
}

/**
 * One server over its life: started, lost and started once more, closed. A call under way when it is lost fails and is
 * never made again.
 */
export class McpServer implements ToolServer {
  readonly name: string;
  readonly callTimeoutMs: number;
  readonly configDigest: string;
  readonly #parts: ServerParts;
  readonly #closing = new AbortController();
  #state: ServerState = "starting";
  #reason: string | undefined;
  #link: ServerLink | undefined;
  #launch: Launch | undefined;
  #starting: Promise<void> | undefined;
  #tools: ReadonlyMap<string, McpTool> = new Map();
  #collision: string | undefined;
  #mayRestart = true;
  /** The end of what was lost. */
  #stopped: Promise<void> | undefined;
  readonly #refresh: ListRefresh;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.name = parts.settings.name;
    this.callTimeoutMs = parts.settings.callTimeoutMs;
    this.configDigest = parts.configDigest;
    this.#refresh = new ListRefresh(() => this.#relist(), parts.clock);
  }

  /** Its tools by the names that a model calls; those that it had stay while it is lost. */
  get tools(): ReadonlyMap<string, McpTool> {
    return this.#state === "failed" ? new Map() : this.#tools;
  }

  /** Two of its tools would have one name; such a server has no tools. */
  get collision(): string | undefined {
    return this.#collision;
  }

  get status(): ServerStatus {
    const reason = this.#reason;
    const by = reachedBy(this.#parts.settings);
    return {
      server: this.name,
      reachedBy: by,
      state: this.#state,
      tools: [...this.tools.keys()],
      ...(reason && { reason }),
    };
  }

  /** Starts it. Resolves when it is ready or has failed, or when it is late and is not waited for any longer. */
  async open(): Promise<void> {
    const { settings, clock } = this.#parts;
    let stopAlarm = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      stopAlarm = clock.alarm(settings.startTimeoutMs, resolve);
    });
    await Promise.race([this.#start(), late]);
    stopAlarm();
    if (this.#state === "starting") this.#become("late", `not ready after ${settings.startTimeoutMs} ms`);
  }

  currentDigest(tool: string): string | undefined {
    for (const { definition } of this.#tools.values()) if (definition.name === tool) return definition.digest;
    return undefined;
  }

  async call(definition: ToolDefinition, input: JsonObject, context: ToolContext): Promise<ToolOutcome> {
    const link = await this.#readyLink(context.signal);
    if (this.currentDigest(definition.name) !== definition.digest) {
      throw new ToolFailure(
        `the MCP server '${this.name}' has changed this tool since it was offered; the call is not made, and the next turn offers the tool as it is now`,
      );
    }
    const { clock, compile } = this.#parts;
    try {
      const outcome = await makeCall(link, { server: this.name, definition, input, context, clock, compile });
      this.#mayRestart = true;
      return outcome;
    } catch (error) {
      if (!(error instanceof LostError)) throw error;
      if (this.#link === link) this.#lose(this.#launch?.endReason() ?? reasonOf(error.cause, undefined));
      throw new ToolFailure(
        `the MCP server '${this.name}' was lost while the call ran; whether it took effect is unknown, and it was not repeated`,
      );
    }
  }

  /** Ends it for good; what it started is gone when this resolves. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the host is closing"));
    this.#state = "closed";
    await this.#starting;
    await this.#stopped;
    if (this.#link !== undefined) await this.#launch?.leave();
    await this.#link?.close().catch(() => undefined);
  }

  #start(): Promise<void> {
    this.#starting = this.#attempt().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #attempt(): Promise<void> {
    const { settings, clock, root } = this.#parts;
    const timeoutMs = Math.max(MAX_START_MS, settings.startTimeoutMs);
    const over = new AbortController();
    const stopAlarm = clock.alarm(timeoutMs, () =>
      over.abort(new Error(`it did not answer within ${timeoutMs} ms`)),
    );
    const { signal, release } = joinSignals(over.signal, this.#closing.signal);
    let link: ServerLink | undefined;
    this.#launch = undefined;
    try {
      const launch = await this.#parts.launch();
      signal.throwIfAborted();
      this.#launch = launch;
      const request = {
        transport: launch.transport,
        timeoutMs,
        signal,
        ...(settings.type === "stdio" && { root }),
      };
      link = await openLink(request, this.#listener(launch));
      this.#link = link;
      this.#take(await readToolList(link, { server: this, compile: this.#parts.compile, signal }));
    } catch (error) {
      this.#link = undefined;
      const reason = this.#launch?.endReason() ?? reasonOf(error, signal);
      await link?.close().catch(() => undefined);
      await this.#launch?.transport.close().catch(() => undefined);
      this.#become("failed", reason);
    } finally {
      stopAlarm();
      release();
    }
  }

  #listener(launch: Launch): { closed(): void; toolsChanged(): void } {
    return {
      closed: () => {
        if (this.#launch === launch && this.#state === "ready")
          this.#lose(launch.endReason() ?? "its connection ended");
      },
      toolsChanged: () => this.#refresh.ask(),
    };
  }

  #take(list: Awaited<ReturnType<typeof readToolList>>): void {
    const { tools, collision, leftOut, changed } = list;
    this.#collision = collision;
    if (collision !== undefined) throw new Error(collision);
    const reason = leftOut.length === 0 ? undefined : visibleText(`left out: ${leftOut.join("; ")}`);
    const isTheSame = changed.length === 0 && tools.size === this.#tools.size && reason === this.#reason;
    this.#tools = tools;
    if (this.#state !== "ready" || !isTheSame) this.#become("ready", reason, changed);
  }

  #lose(reason: string): void {
    this.#link = undefined;
    if (this.#closing.signal.aborted) return;
    const restarts = this.#mayRestart;
    this.#mayRestart = false;
    this.#become(restarts ? "lost" : "failed", reason);
    this.#stopped = this.#launch?.transport.close().catch(() => undefined);
    if (restarts) void this.#start();
  }

  /** The link to call by; a start under way and a list that has changed are waited for. */
  async #readyLink(signal: AbortSignal): Promise<ServerLink> {
    const starting = this.#starting;
    if (this.#link === undefined && starting) await untilAborted(signal, () => starting);
    await untilAborted(signal, () => this.#refresh.settle());
    if (this.#link !== undefined && this.#state === "ready") return this.#link;
    throw new ToolFailure(`the MCP server '${this.name}' is not connected; the call was not made`);
  }

  async #relist(): Promise<void> {
    const { compile } = this.#parts;
    const { signal } = this.#closing;
    const link = this.#link;
    if (link === undefined || signal.aborted) return;
    try {
      const list = await readToolList(link, { server: this, compile, signal });
      if (this.#link === link) this.#take(list);
    } catch (error) {
      if (this.#link === link) this.#lose(`its list of tools cannot be used: ${reasonOf(error, signal)}`);
    }
  }

  #become(state: ServerState, reason: string | undefined, changed: readonly string[] = []): void {
    if (this.#closing.signal.aborted) return;
    this.#state = state;
    this.#reason = reason === undefined ? undefined : visibleText(reason);
    this.#parts.announce({ ...this.status, ...(changed.length > 0 && { changed }) });
  }
}

function reasonOf(error: unknown, signal: AbortSignal | undefined): string {
  const cause: unknown = signal?.aborted ? signal.reason : error;
  if (!(cause instanceof Error)) return String(cause);
  const { cause: deeper } = cause;
  return deeper instanceof Error ? `${cause.message}: ${deeper.message}` : cause.message;
}
