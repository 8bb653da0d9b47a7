import { existsSync, realpathSync } from "node:fs";
import type { HeldHooks } from "@basis/hooks/node";
import { isBasisError } from "@basis/core";
import { StartError } from "../config/start-error.ts";
import { changedFiles, lookAtFiles, recordsOfTrust, type FileStates } from "./watched-files.ts";
import {
  openWorkspace,
  type OpenedWorkspace,
  type WorkspaceFacts,
  type WorkspaceOptions,
} from "./workspace.ts";

/** A workspace as one turn has it, whatever becomes of its files meanwhile. */
export interface HeldWorkspace {
  readonly facts: WorkspaceFacts;
  /** Why its files as they are now are not used, and those before them are. */
  readonly problem: string | undefined;
  /** Lets go of it. */
  release(): void;
}

/** Where turns get their workspace from. */
export interface TurnWorkspaces {
  readonly root: string;
  /** As turns that begin now would have it. */
  current(): Promise<Pick<HeldWorkspace, "facts" | "problem">>;
  hold(): Promise<HeldWorkspace>;
  close(): Promise<void>;
}

/** A state of the files that was read, for as long as turns need it. */
interface State {
  readonly facts: WorkspaceFacts;
  users: number;
}

/**
 * A workspace that follows its files: before a turn begins they are looked at, and read anew when one has changed. A turn keeps
 * what it began with. A state that is wrong, or that nobody has trusted, changes nothing; it is told once, and read again when a
 * file changes again.
 */
export class LiveWorkspace implements TurnWorkspaces {
  readonly #opened: OpenedWorkspace;
  readonly #options: WorkspaceOptions;
  readonly #retired = new Set<State>();
  #state: State;
  /** How the files stood when they were last read. */
  #seen: FileStates;
  #problem: string | undefined;
  #reading: Promise<void> | undefined;
  #isClosed = false;

  private constructor(options: WorkspaceOptions, opened: OpenedWorkspace, seen: FileStates) {
    this.#options = options;
    this.#opened = opened;
    this.#state = { facts: opened.facts, users: 0 };
    this.#seen = seen;
  }

  /** Opens it. @throws as `openWorkspaceFacts` */
  static async open(options: WorkspaceOptions): Promise<LiveWorkspace> {
    const before = lookAtFiles(realpathSync(options.directory), options);
    const opened = await openWorkspace(options);
    // What was trusted just now has changed its record alone; what else changed meanwhile is read with the next turn.
    const records = recordsOfTrust(opened.facts.root, options);
    const after = lookAtFiles(opened.facts.root, options);
    const seen = new Map(before);
    for (const path of records) setOrDelete(seen, path, after.get(path));
    return new LiveWorkspace(options, opened, seen);
  }

  get root(): string {
    return this.#state.facts.root;
  }

  /** As the last turn had it. */
  get facts(): WorkspaceFacts {
    return this.#state.facts;
  }

  async current(): Promise<Pick<HeldWorkspace, "facts" | "problem">> {
    await this.#follow();
    return { facts: this.#state.facts, problem: this.#problem };
  }

  async hold(): Promise<HeldWorkspace> {
    await this.#follow();
    const state = this.#state;
    state.users += 1;
    const guards: HeldHooks = this.#opened.hooks.hold();
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      guards.release();
      state.users -= 1;
      this.#endIfIdle(state);
    };
    return { facts: { ...state.facts, hooks: guards.chain }, problem: this.#problem, release };
  }

  /** Ends servers and guards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading;
    const states = [this.#state, ...this.#retired];
    await Promise.all([...states.map(({ facts }) => facts.servers.close()), this.#opened.hooks.close()]);
  }

  /** For a host that does not read anew: tells once what changed since it was opened. @throws StartError `workspace` when it is gone. */
  tellStale(advice: string): void {
    const now = this.#look();
    const changed = changedFiles(this.#seen, now);
    this.#seen = now;
    if (changed.length > 0) this.#options.report(`${changed.join(", ")} changed: ${advice}`);
  }

  async #follow(): Promise<void> {
    if (this.#isClosed) return;
    await (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  #look(): FileStates {
    if (existsSync(this.root)) return lookAtFiles(this.root, this.#options);
    throw new StartError("workspace", [`${this.root} is not there any more: nothing is run in it`]);
  }

  async #read(): Promise<void> {
    const now = this.#look();
    const changed = changedFiles(this.#seen, now);
    if (changed.length === 0) return;
    this.#seen = now;
    const { report } = this.#options;
    try {
      const facts = await this.#opened.readAgain();
      const last = this.#state;
      this.#state = { facts, users: 0 };
      this.#problem = undefined;
      this.#retired.add(last);
      this.#endIfIdle(last);
      report(`read anew, for turns from now on: ${changed.join(", ")}`);
    } catch (error) {
      this.#problem = `what changed is not used, what was in force stays: ${problemOf(error)}`;
      report(this.#problem);
    }
  }

  #endIfIdle(state: State): void {
    if (state.users > 0 || !this.#retired.delete(state)) return;
    void state.facts.servers.close().catch(() => undefined);
  }
}

/** A workspace that stays as it is, for turns of a host that opened it itself. */
export function fixedWorkspace(facts: WorkspaceFacts): TurnWorkspaces {
  const held = { facts, problem: undefined };
  return {
    root: facts.root,
    current: () => Promise.resolve(held),
    hold: () => Promise.resolve({ ...held, release: () => undefined }),
    close: () => facts.close(),
  };
}

function setOrDelete(states: Map<string, string>, path: string, state: string | undefined): void {
  if (state === undefined) states.delete(path);
  else states.set(path, state);
}

function problemOf(error: unknown): string {
  if (error instanceof StartError) return error.details.problems.join("; ");
  if (isBasisError(error) || error instanceof Error) return error.message;
  return String(error);
}
