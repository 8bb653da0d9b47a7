import type {
  CloseSessionRequest,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  ResumeSessionRequest,
  SessionInfo,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { AgentFile } from "@basis/child-policy/agents";
import { newId } from "@basis/core";
import type { Runtime } from "../compose.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import { refuseAgent } from "../rpc/methods/agent-parameter.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { askedAgent } from "./asked-agent.ts";
import { EditorSession } from "./editor-session.ts";
import type { AskedSession } from "./editor-approver.ts";
import { findEditorSession, requireFolder, sessionInfo, unknownSession } from "./session-facts.ts";
import { openPlace, realFolder, type AskedPlace, type PlaceOpening } from "./session-place.ts";
import { transcriptUpdates } from "./transcript-updates.ts";

/** Where a connection's updates go. */
export interface SessionSink {
  readonly hasRoom: boolean;
  readonly takesNotices: boolean;
  /** Resolves once it has gone out. */
  send(sessionId: string, update: SessionUpdate): Promise<void>;
}

/** What the sessions of a connection are made of. */
export interface EditorSessionsOptions extends Omit<PlaceOpening, "signal"> {
  readonly runtime: Runtime;
  readonly sink: SessionSink;
}

/** Which session it became, and as whom it begins. */
interface SettledSession {
  readonly id: string;
  readonly persona?: AgentFile | undefined;
}

/** A session to open. */
interface WantedSession {
  readonly id: string;
  readonly isStored: boolean;
  /** Settles it once its folder is open. */
  readonly settle?: (facts: WorkspaceFacts) => Promise<SettledSession>;
}

/** Most sessions that one editor has open. */
const MAX_OPEN = 32;
/** Sessions of one page of a list. */
const PAGE = 50;

/** The sessions that an editor has open. */
export class EditorSessions {
  readonly #options: EditorSessionsOptions;
  readonly #open = new Map<string, EditorSession>();
  /** Ids of sessions that are being opened. */
  readonly #opening = new Set<string>();
  readonly #ending = new AbortController();

  constructor(options: EditorSessionsOptions) {
    this.#options = options;
  }

  /** `session/new`. Nothing of it is kept before its first prompt. */
  async create(asked: NewSessionRequest): Promise<NewSessionResponse> {
    const id = newId();
    const { store } = this.#options.runtime.state;
    const agent = askedAgent(asked);
    const settle = async ({ agents }: WorkspaceFacts): Promise<SettledSession> => ({
      id,
      persona: await refuseAgent(store, agents, { agent }),
    });
    await this.#openHere(asked, { id, isStored: false, settle });
    return { sessionId: id };
  }

  /** `session/load`: opens a kept session and replays what was said. */
  async load(asked: LoadSessionRequest): Promise<void> {
    const session = await this.resume(asked);
    const { state } = this.#options.runtime;
    const place = { root: session.root, tool: session.tool, blobs: state.store.blobs };
    for await (const { body } of state.store.read(session.id)) {
      for (const update of await transcriptUpdates(body, place))
        await this.#options.sink.send(session.id, update);
    }
  }

  /** `session/resume`: opens a kept session. */
  async resume(asked: ResumeSessionRequest): Promise<EditorSession> {
    const { state } = this.#options.runtime;
    const { sessionId } = asked;
    const record = await findEditorSession(state, sessionId);
    await requireFolder(state, record, realFolder(asked));
    return this.#openHere(asked, { id: sessionId, isStored: true });
  }

  /** Opens a folder, and in it the session that `make` answers; when that fails nothing stays open. */
  async openMade(asked: AskedPlace, make: () => Promise<string>): Promise<void> {
    await this.#openHere(asked, {
      id: newId(),
      isStored: true,
      settle: async () => ({ id: await make() }),
    });
  }

  /** `session/list`: the sessions whose folder is known, oldest first. */
  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { state } = this.#options.runtime;
    const folder = cwd ? realFolder({ cwd }) : undefined;
    const page = await state.store.listSessions({ ...(cursor && { after: cursor }), limit: PAGE });
    const infos = await Promise.all(page.items.map((record) => sessionInfo(state, record)));
    const sessions = infos.filter(
      (info): info is SessionInfo => info !== undefined && (folder === undefined || info.cwd === folder),
    );
    return { sessions, ...(page.next && { nextCursor: page.next }) };
  }

  prompt({ sessionId, prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    this.#refuseEnding();
    return this.#find(sessionId).prompt(prompt, signal);
  }

  /** `session/cancel`; of a session that is not open it means nothing. */
  cancel(sessionId: string): void {
    this.#open.get(sessionId)?.cancel();
  }

  /** `session/close`: ends its turn and everything that was started for it. */
  async close({ sessionId }: CloseSessionRequest): Promise<void> {
    const session = this.#find(sessionId);
    this.#open.delete(sessionId);
    await session.close();
  }

  /** An open session, for the methods that work on kept ones. */
  isUnstored(sessionId: string): boolean {
    return this.#open.get(sessionId)?.isStored === false;
  }

  /** The turn that runs in a session. */
  turnOf(sessionId: string): AskedSession | undefined {
    const updates = this.#open.get(sessionId)?.updates;
    return updates && { sessionId, updates };
  }

  /** Ends every turn, with its work kept. No other begins, and no session is opened. */
  async end(): Promise<void> {
    this.#ending.abort(new RpcError("unavailable", "the server is ending", { kind: "shutting_down" }));
    await Promise.allSettled([...this.#open.values()].map((session) => session.end()));
  }

  /** Ends what was started for the sessions. */
  async closeAll(): Promise<void> {
    const sessions = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(sessions.map((session) => session.close()));
  }

  /** Opens the folder of a session; one that is open already is closed first, unless a turn runs in it. */
  async #openHere(asked: AskedPlace, wanted: WantedSession): Promise<EditorSession> {
    const { id, isStored, settle } = wanted;
    this.#refuseEnding();
    const before = this.#open.get(id);
    if (before?.updates !== undefined || this.#opening.has(id))
      throw new RpcError("busy", "a turn runs in this session, or it is being opened", {
        kind: "turn_running",
      });
    if (this.#open.size + this.#opening.size >= MAX_OPEN)
      throw new RpcError("overloaded", `${MAX_OPEN} sessions are open: close one with session/close`);
    this.#opening.add(id);
    try {
      this.#open.delete(id);
      await before?.close();
      const { runtime, sink } = this.#options;
      const workspace = await openPlace(asked, { ...this.#options, signal: this.#ending.signal });
      const { facts } = await workspace.current();
      const settled = await settle?.(facts).catch(async (error: unknown) => {
        await workspace.close();
        throw error;
      });
      const { id: name, persona } = settled ?? { id };
      const session = new EditorSession({
        id: name,
        isStored,
        persona,
        workspace,
        facts,
        runtime,
        sink: sinkOf(sink, name),
      });
      this.#open.set(name, session);
      return session;
    } finally {
      this.#opening.delete(id);
    }
  }

  #find(sessionId: string): EditorSession {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  }

  #refuseEnding(): void {
    this.#ending.signal.throwIfAborted();
  }
}

function sinkOf(sink: SessionSink, id: string) {
  return {
    get hasRoom() {
      return sink.hasRoom;
    },
    get takesNotices() {
      return sink.takesNotices;
    },
    // A connection that is gone is noticed by whoever serves it.
    send: (update: SessionUpdate) => void sink.send(id, update).catch(() => undefined),
  };
}
