import type { CallNode, ForkNode } from "./model.ts";
import { visibleText } from "./visible-text.ts";
import type { RowNode } from "./row-key.ts";

/** What to type in a terminal for the thing that is looked at, and what it does. */
export interface ShellCommand {
  readonly text: string;
  readonly about: string;
}

/** The command for a row; undefined where there is none, and where a made-up name would carry something unseen along. */
export function commandFor(node: RowNode): ShellCommand | undefined {
  const command = commandOf(node);
  return command === undefined || visibleText(command.text) !== command.text ? undefined : command;
}

function commandOf(node: RowNode): ShellCommand | undefined {
  switch (node.kind) {
    case "session":
      return { text: `basis sessions show ${word(node.session.id)}`, about: "shows this session" };
    case "run":
      return node.endedAt === undefined
        ? { text: `basis cancel ${word(node.id)}`, about: "cancels this run" }
        : { text: `basis events ${word(node.session.id)}`, about: "prints the events of its session" };
    case "round":
      return node.row === undefined
        ? undefined
        : {
            text: `basis fork ${word(node.run.session.id)} --at ${node.row + 1 + node.calls.length} --dry-run`,
            about: "shows what a fork behind this answer would take along",
          };
    case "call":
      return callCommand(node);
    case "fork":
      return forkCommand(node);
    case "note":
    case "folded":
      return undefined;
  }
}

function callCommand({ permission, round }: CallNode): ShellCommand {
  if (permission?.state === "parked" && permission.approvalId !== undefined)
    return { text: `basis approvals allow ${word(permission.approvalId)}`, about: "allows this call" };
  return { text: `basis events ${word(round.run.session.id)}`, about: "prints the events of its session" };
}

function forkCommand({ state, operation }: ForkNode): ShellCommand {
  if (state === "unseated" && operation !== undefined)
    return { text: `basis fork --recover ${word(operation)}`, about: "seats this fork" };
  return { text: "basis sessions tree", about: "shows which session came from which" };
}

/** A word that no shell reads anything into. */
function word(text: string): string {
  return /^[A-Za-z0-9_./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
