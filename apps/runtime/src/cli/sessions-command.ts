import { isRunning, type MemberRecord, type SessionRecord } from "@mobkit/session";
import { findSession } from "../store/find-session.ts";
import { textOf, callsOf } from "../agent/tool-message.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { HostState } from "../store/open-state.ts";
import { command, type Command } from "./command.ts";
import { openHostState } from "./open-host.ts";
import { answer, columns } from "./output-format.ts";
import { short } from "./render-events.ts";

const json = { type: "boolean", description: "As JSON" } as const;

const list: Command = command({
  meta: { name: "basis sessions list", description: "List sessions, oldest first." },
  args: { json },
  run: ({ args }) => withState(async (state) => showList(await allSessions(state), args["json"] === true)),
});

const show: Command = command({
  meta: { name: "basis sessions show", description: "Show a session's transcript." },
  args: { session: { type: "positional", description: "Id or member name" }, json },
  run: ({ args }) => withState((state) => showSession(state, String(args["session"]), args["json"] === true)),
});

const tree: Command = command({
  meta: {
    name: "basis sessions tree",
    description: "Show which session was forked or delegated from which.",
  },
  args: {},
  run: () =>
    withState(async (state) => answer(renderTree(await allSessions(state)).join("\n") || "no sessions")),
});

/** `basis sessions`. */
export const sessionsCommand: Command = {
  meta: { name: "basis sessions", description: "List, show and relate sessions." },
  subCommands: { list, show, tree },
};

async function withState(work: (state: HostState) => Promise<void>): Promise<void> {
  const signal = new AbortController().signal;
  const state = await openHostState({ env: process.env, signal }, process.cwd());
  try {
    await work(state);
  } finally {
    await state.close();
  }
}

interface ListedSession extends SessionRecord {
  readonly member: MemberRecord | undefined;
}

async function allSessions({ store }: HostState): Promise<readonly ListedSession[]> {
  const sessions: ListedSession[] = [];
  let after: string | undefined;
  do {
    const page = await store.listSessions({ limit: 1000, ...(after !== undefined && { after }) });
    for (const session of page.items) {
      const member = session.binding ? await store.members.get(session.binding.member) : undefined;
      sessions.push({ ...session, member });
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return sessions;
}

function showList(sessions: readonly ListedSession[], asJson: boolean): void {
  if (asJson) {
    answer(JSON.stringify(sessions, null, 2));
    return;
  }
  if (sessions.length === 0) {
    answer('no sessions; basis "PROMPT" begins one');
    return;
  }
  const rows = sessions.map((session) => [
    session.member?.member ?? "-",
    session.member?.role ?? "-",
    isRunning(session) ? "running" : session.state,
    String(session.len),
    new Date(session.updatedAt).toISOString().slice(0, 19),
    session.id,
  ]);
  answer(columns([["MEMBER", "ROLE", "STATE", "ROWS", "UPDATED", "SESSION"], ...rows]));
}

async function showSession({ store }: HostState, name: string, asJson: boolean): Promise<void> {
  const session = await findSession(store, name);
  if (!asJson)
    answer(`${session.binding?.member ?? "-"}  ${session.state}  ${session.len} rows  ${session.id}`);
  for await (const row of store.read(session.id)) {
    answer(
      asJson
        ? JSON.stringify(row)
        : `${String(row.position).padStart(4)}  ${row.kind.padEnd(9)} ${rowText(row.body)}`,
    );
  }
}

function rowText(message: ModelMessage): string {
  switch (message.role) {
    case "assistant": {
      const calls = callsOf(message).map(({ toolName, inputJson }) => `${toolName}(${short(inputJson, 80)})`);
      return short([textOf(message), ...calls].filter((part) => part !== "").join(" → "), 400);
    }
    case "tool":
      return short(message.content.map(({ output }) => short(output.value, 400)).join(" "), 400);
    default:
      return short(message.content, 400);
  }
}

function renderTree(sessions: readonly ListedSession[]): readonly string[] {
  const parentOf = (session: SessionRecord): string | undefined =>
    session.parent?.sessionId ?? session.spawnedBy?.sessionId;
  const below = groupByParent(sessions, parentOf);
  const walk = (parent: string, depth: number): string[] =>
    (below.get(parent) ?? []).flatMap((session) => [
      `${"  ".repeat(depth)}${label(session)}`,
      ...walk(session.id, depth + 1),
    ]);
  return walk("", 0);
}

function groupByParent(
  sessions: readonly ListedSession[],
  parentOf: (session: SessionRecord) => string | undefined,
): Map<string, ListedSession[]> {
  const groups = new Map<string, ListedSession[]>();
  for (const session of sessions) {
    const key = parentOf(session) ?? "";
    groups.set(key, [...(groups.get(key) ?? []), session]);
  }
  return groups;
}

function label(session: ListedSession): string {
  const name = session.member?.member ?? session.id;
  if (session.parent)
    return `⑂ ${name} (fork at ${session.parent.len}${session.state === "pending" ? ", not seated" : ""}; ${session.len} rows)`;
  return `${session.spawnedBy ? "↳ " : ""}${name} (${session.len} rows)`;
}
