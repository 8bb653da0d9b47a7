import type { AgentFile } from "@basis/child-policy/agents";
import { newId } from "@basis/core";
import type { SessionRecord } from "@mobkit/session";
import { nearestWord } from "../input/nearest-word.ts";
import { StartError } from "../config/start-error.ts";
import type { HostStore } from "../store/host-store.ts";
import type { RunRequest } from "./prepare-run.ts";
import { AGENTS_FOLDER } from "./workspace-agents.ts";

/** The label of a member whose session was begun as an agent of the workspace. */
export const AGENT_LABEL = "agent";

/** Which session a run is in, and who it is. */
export interface SettledSession {
  readonly session: SessionRecord;
  /** The agent of the workspace that the run is; undefined for the main one. */
  readonly persona: AgentFile | undefined;
}

/**
 * The session to go on in, or a new one.
 *
 * @throws StartError as `runPersona`.
 */
export async function settleSession(
  store: HostStore,
  agents: readonly AgentFile[],
  { sessionId, session, agent, member }: Pick<RunRequest, "sessionId" | "session" | "agent" | "member">,
): Promise<SettledSession> {
  const found = session ?? (sessionId === undefined ? undefined : await store.head(sessionId));
  const persona = await runPersona(store, agents, { agent, session: found });
  if (found !== undefined) return { session: found, persona };
  return { session: await beginSession(store, persona, { member }), persona };
}

/** What a new session is called; a name that is free without it. */
export interface NewSession {
  readonly id?: string | undefined;
  readonly member?: string | undefined;
}

/** Makes a session, begun as an agent of the workspace or as the main one. */
export function beginSession(
  store: HostStore,
  persona: AgentFile | undefined,
  { id, member }: NewSession,
): Promise<SessionRecord> {
  const role = persona?.name ?? "main";
  const labels = persona && { [AGENT_LABEL]: role };
  return store.createSession({ id, member: member ?? `${role}-${newId().slice(-8)}`, role, labels });
}

/** Who a run is asked to be, and where. */
export interface PersonaRequest {
  /** The agent's name; absent: whoever the session was begun as. */
  readonly agent?: string | undefined;
  /** Absent: a new session. */
  readonly session?: SessionRecord | undefined;
}

/**
 * The agent of the workspace that a run is; undefined for the main one. A session keeps the agent that it was begun as.
 *
 * @throws StartError `workspace` for an agent that is not there, `session` for one that the session is not.
 */
export async function runPersona(
  store: HostStore,
  agents: readonly AgentFile[],
  { agent: wanted, session }: PersonaRequest,
): Promise<AgentFile | undefined> {
  if (session === undefined) return wanted === undefined ? undefined : findAgent(agents, wanted);
  const begun = await begunAs(store, agents, session);
  if (wanted !== undefined && wanted !== begun) throw otherAgent(session, begun ?? "main", wanted);
  return begun === undefined ? undefined : findAgent(agents, begun);
}

/** The agent that a session was begun as; a child that an agent file described goes on as that agent. */
async function begunAs(
  store: HostStore,
  agents: readonly AgentFile[],
  { binding }: SessionRecord,
): Promise<string | undefined> {
  const member = binding ? await store.members.get(binding.member) : undefined;
  const child = agents.find(({ name }) => name === member?.role);
  return member?.labels[AGENT_LABEL] ?? child?.name;
}

function findAgent(agents: readonly AgentFile[], wanted: string): AgentFile {
  const found = agents.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const known = agents.map(({ name }) => name);
  if (known.length === 0)
    throw new StartError("workspace", [
      `there is no agent '${wanted}': this folder has none; write ${AGENTS_FOLDER}/${/^[\w-]+$/.test(wanted) ? wanted : "NAME"}.md`,
    ]);
  const near = nearestWord(wanted, known);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  throw new StartError("workspace", [
    `there is no agent '${wanted}' in ${AGENTS_FOLDER}${hint}`,
    `it has: ${known.join(", ")}`,
  ]);
}

function otherAgent({ id, binding }: SessionRecord, is: string, wanted: string): StartError {
  return new StartError("session", [
    `session '${binding?.member ?? id}' was begun as '${is}' and does not become '${wanted}': leave out --agent, or begin a new session`,
  ]);
}
