import type { Command, CommandGroup } from "./arguments/command.ts";

/** A command before it is loaded. */
export interface CommandEntry {
  readonly about: string;
  load(): Promise<Command | CommandGroup>;
}

/** Every command; each is loaded when it is called. */
export const commandTable: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  [
    "run",
    {
      about: "run one turn of an agent in this folder",
      load: async () => (await import("./run/run-command.ts")).runCommand,
    },
  ],
  [
    "fork",
    {
      about: "fork a session, or recover a fork that was not seated",
      load: async () => (await import("./sessions/fork-command.ts")).forkCommand,
    },
  ],
  [
    "sessions",
    {
      about: "list, show, shorten, redact, export, import and delete sessions",
      load: async () => (await import("./sessions/sessions-command.ts")).sessionsCommand,
    },
  ],
  [
    "approvals",
    {
      about: "list, show and answer calls that wait",
      load: async () => (await import("./approvals/approvals-command.ts")).approvalsCommand,
    },
  ],
  [
    "trust",
    {
      about: "show what this folder would run, and trust it",
      load: async () => (await import("./approvals/trust-command.ts")).trustCommand,
    },
  ],
  [
    "rules",
    {
      about: "list what is allowed or refused unasked, or forget it",
      load: async () => (await import("./approvals/rules-command.ts")).rulesCommand,
    },
  ],
  [
    "events",
    {
      about: "print or follow a session's event log",
      load: async () => (await import("./run/events-command.ts")).eventsCommand,
    },
  ],
  [
    "wait",
    {
      about: "wait for a run of another process, end with its exit code",
      load: async () => (await import("./run/wait-command.ts")).waitCommand,
    },
  ],
  [
    "cancel",
    {
      about: "cancel a run of any process, and roll its turn back",
      load: async () => (await import("./run/cancel-command.ts")).cancelCommand,
    },
  ],
  [
    "replay",
    {
      about: "show a recorded run: an event log or a cassette",
      load: async () => (await import("./run/replay-command.ts")).replayCommand,
    },
  ],
  [
    "serve",
    {
      about: "serve this folder's agent to an editor or a script",
      load: async () => (await import("./serve/serve-command.ts")).serveCommand,
    },
  ],
  [
    "worker",
    {
      about: "run queued turns of this folder",
      load: async () => (await import("./serve/worker-command.ts")).workerCommand,
    },
  ],
  [
    "queue",
    {
      about: "list queued turns, retry or drop dead ones, limit a realm",
      load: async () => (await import("./serve/queue-command.ts")).queueCommand,
    },
  ],
  [
    "inspect",
    {
      about: "show what a run in this folder would use",
      load: async () => (await import("./setup/inspect-command.ts")).inspectCommand,
    },
  ],
  [
    "doctor",
    {
      about: "look whether machine, store and this folder are fit for runs",
      load: async () => (await import("./setup/doctor-command.ts")).doctorCommand,
    },
  ],
  [
    "store",
    {
      about: "move everything from files to a database, or back",
      load: async () => (await import("./setup/store-command.ts")).storeCommand,
    },
  ],
  [
    "init",
    {
      about: "write a first .basis folder and AGENTS.md",
      load: async () => (await import("./setup/init-command.ts")).initCommand,
    },
  ],
  [
    "completion",
    {
      about: "print a script that completes basis in bash, zsh or fish",
      load: async () => (await import("./setup/completion-command.ts")).completionCommand,
    },
  ],
  [
    "demo",
    {
      about: "see everything at work on a copy of this folder, without a key",
      load: async () => (await import("./setup/demo-command.ts")).demoCommand,
    },
  ],
]);
