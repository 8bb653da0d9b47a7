import { visibleText } from "@basis/approval";
import type { ModelMessage } from "../../providers/model.ts";
import { summaryFacts } from "../../providers/summary-message.ts";
import { textOf, callsOf } from "../../agent/transcript/tool-message.ts";
import { findSession } from "../../store/find-session.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Command, type CommandGroup } from "../arguments/command.ts";
import { exitCode } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { flag } from "../arguments/option.ts";
import { answer, columns, counted } from "../terminal/output-format.ts";
import { short } from "../terminal/event-line.ts";
import { sessionBackupCommand } from "./session-backup-command.ts";
import { sessionCompactCommand } from "./session-compact-command.ts";
import { sessionExportCommand } from "./session-export-command.ts";
import { sessionImportCommand } from "./session-import-command.ts";
import { sessionPruneCommand } from "./session-prune-command.ts";
import { sessionRedactCommand } from "./session-redact-command.ts";
import { sessionRmCommand } from "./session-rm-command.ts";
import { drawSessionTree, treeLines } from "./session-tree.ts";
import { listSessions, viewSession, type SessionView } from "../../store/session-view.ts";
import { inWords } from "../../agent/transcript/told-message.ts";
import { plainOutput } from "../../providers/plain-output.ts";

const json = flag("as JSON");

const list: Command = defineCommand({
  name: "sessions list",
  about: "List sessions, oldest first.",
  options: { json },
  examples: [["basis sessions list", "members, states and sizes; children and forks are sessions too"]],
  run: ({ options }, context) =>
    withState(context, async ({ store }) => {
      const sessions = await listSessions(store);
      answer(options.json ? JSON.stringify(sessions, null, 2) : inColumns(sessions));
      return exitCode.ok;
    }),
});

const show: Command = defineCommand({
  name: "sessions show",
  about: "Show a session's transcript, one message a line.",
  more: ["The number before a message is its position; a fork 'at N' keeps the N messages before it."],
  word: { name: "SESSION", about: "a session's id or its member's name", required: true },
  options: { json: flag("whole messages, one JSON object a line") },
  examples: [["basis sessions show main-1c2d3e4f", "what was said and called"]],
  run: ({ word, options }, context) =>
    withState(context, async (state) => {
      await showSession(state, word!, options.json ?? false);
      return exitCode.ok;
    }),
});

const tree: Command = defineCommand({
  name: "sessions tree",
  about: "Draw which session was forked (⑂) or delegated (↳) from which.",
  word: { name: "SESSION", about: "only this one and what came from it", required: false },
  options: { json: flag("one JSON object a line, from the root down, with its depth") },
  examples: [
    ["basis sessions tree", "all of them; what is forked from a deleted session stands at the top"],
    ["basis sessions tree main-1c2d3e4f", "one session and its branches"],
  ],
  run: ({ word, options }, context) =>
    withState(context, async ({ store }) => {
      const from = word === undefined ? undefined : (await findSession(store, word)).id;
      const lines = treeLines(await listSessions(store), from);
      if (options.json) for (const { depth, view } of lines) answer(JSON.stringify({ depth, ...view }));
      else answer(drawSessionTree(lines) || "no sessions");
      return exitCode.ok;
    }),
});

/** `basis sessions`. */
export const sessionsCommand: CommandGroup = {
  name: "sessions",
  about:
    "List sessions, show one, draw their tree, shorten what they send, take them out and in, delete what is not needed.",
  commands: {
    list,
    show,
    tree,
    export: sessionExportCommand,
    import: sessionImportCommand,
    backup: sessionBackupCommand,
    compact: sessionCompactCommand,
    redact: sessionRedactCommand,
    rm: sessionRmCommand,
    prune: sessionPruneCommand,
  },
};

function inColumns(sessions: readonly SessionView[]): string {
  if (sessions.length === 0) return 'no sessions; basis "PROMPT" begins one';
  const rows = sessions.map(({ member, role, state, messages, updated_at, session }) => [
    visibleText(member ?? "-"),
    role ?? "-",
    state,
    String(messages),
    `${updated_at.slice(0, 19)}Z`,
    session,
  ]);
  return columns([["MEMBER", "ROLE", "STATE", "MESSAGES", "UPDATED", "SESSION"], ...rows]);
}

async function showSession({ store }: HostState, name: string, asJson: boolean): Promise<void> {
  const record = await findSession(store, name);
  if (!asJson) {
    const { member, state, messages, session } = await viewSession(store, record);
    answer(`${visibleText(member ?? "-")}  ${state}  ${counted(messages, "message")}  ${session}`);
  }
  for await (const { position, kind, body } of store.read(record.id)) {
    answer(
      asJson
        ? JSON.stringify({ position, kind, message: body })
        : `${String(position).padStart(4)}  ${kindOf(kind, body).padEnd(9)} ${rowText(body)}`,
    );
  }
}

/** A row that stands for others is told apart. */
function kindOf(kind: string, body: ModelMessage): string {
  return summaryFacts(body) === undefined ? kind : "summary";
}

function rowText(message: ModelMessage): string {
  switch (message.role) {
    case "assistant": {
      const calls = callsOf(message).map(({ toolName, inputJson }) => `${toolName}(${short(inputJson, 80)})`);
      return short([textOf(message), ...calls].filter((part) => part !== "").join(" → "), 400);
    }
    case "tool":
      return short(message.content.map(({ output }) => short(plainOutput(output), 400)).join(" "), 400);
    default:
      return short(inWords(message), 400);
  }
}
