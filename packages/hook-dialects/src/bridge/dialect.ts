import type { FailureCode, HookEvent } from "@basis/hooks";
import type { JsonObject, JsonValue } from "@basis/core";
import type { ServerTool, ToolKind, ToolNames } from "./tool-alias.ts";

/** The tools whose hook settings are read. */
export type DialectName = "claude" | "gemini" | "codex" | "cursor" | "copilot" | "windsurf";

/** `hardened`: the vendor's allows, except where a hook fell through by failing. `faithful`: the vendor's verdicts. */
export type DialectLevel = "hardened" | "faithful";

/** One command of a settings file that is asked around tool calls. */
export interface DialectHook {
  /** `claude PreToolUse 1.2`: dialect, event, and the entry's place in the file, counted from 1. */
  readonly name: string;
  /** JSON pointer of the entry in its file. */
  readonly pointer: string;
  /** The vendor's word for the event. */
  readonly event: string;
  readonly moment: HookEvent;
  /** One text is a line for a shell; a list is executed as it is. */
  readonly command: string | readonly string[];
  /** Undefined: every call of its event. */
  readonly matcher: string | undefined;
  /** A permission rule that the call must match as well; one that cannot be judged matches. */
  readonly condition: string | undefined;
  readonly timeoutMs: number;
  /** What the entry itself says about failing; undefined when it says nothing. */
  readonly onFailure: "deny" | "allow" | undefined;
  /** Started and not waited for; it decides nothing. */
  readonly isAsync: boolean;
  /** Further variables that the entry sets. */
  readonly env: Readonly<Record<string, string>>;
  /** Where it runs, from the workspace; absent: there. */
  readonly cwd?: string;
  /** What the entry runs on other systems, by name, where it has a line for this one: part of what is trusted. */
  readonly otherLines?: Readonly<Record<string, string>>;
}

/** A tool call in the vendor's words. */
export interface DialectCall {
  readonly toolName: string;
  /** Every name that a matcher may know the tool by. */
  readonly names: readonly string[];
  /** Undefined for a tool that nobody gave an alias. */
  readonly kind: ToolKind | "server" | undefined;
  /** Whose tool it is, where it is a server's. */
  readonly server: ServerTool | undefined;
  readonly input: JsonValue;
  readonly toolCallId: string;
  readonly agentId: string;
  /** The agent was delegated to. */
  readonly isChild: boolean;
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** After the call. */
  readonly result: { readonly output: JsonValue; readonly isError: boolean } | undefined;
}

/** What a vendor's hook is told about the session. */
export interface SessionFacts {
  readonly sessionId: string;
  readonly transcriptPath: string;
  /** Codex and Cursor are told these; default: the session's id, and no name. */
  readonly turnId?: string | undefined;
  readonly model?: string | undefined;
}

/** How a hook's program ended by itself. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a hook said, as far as our chain can say it. */
export type Said =
  | { readonly kind: "allow"; readonly reason?: string | undefined }
  | { readonly kind: "deny"; readonly reason?: string | undefined }
  /** A person is to be asked; `input` is the rewrite that came with it, `merge` as below. */
  | {
      readonly kind: "ask";
      readonly reason?: string | undefined;
      readonly input?: JsonObject | undefined;
      readonly merge?: boolean | "hardened";
    }
  | {
      readonly kind: "modify";
      readonly input: JsonObject;
      /** The fields given are laid over the input; else they replace it. */
      readonly merge: boolean | "hardened";
      readonly reason?: string | undefined;
    }
  | { readonly kind: "replace"; readonly output: JsonValue; readonly reason?: string | undefined }
  /** Text for the model beside the result; `blocks`: the hook objects, and more than adds to it. */
  | { readonly kind: "feedback"; readonly text: string; readonly blocks: boolean };

/** What an ended program comes to: what it said, or that it failed and what the vendor makes of that. */
export type Decoded =
  | Said
  | {
      readonly kind: "fell";
      readonly code: FailureCode;
      /** Reads after the hook's name and quotes nothing it printed. */
      readonly message: string;
      readonly vendor: Said;
      /** What it comes to here, where that is no failure. */
      readonly hardened?: Said;
    };

/** Where a vendor lets a call through because a hook failed, and this package does not. */
export interface Difference {
  readonly dialect: DialectName;
  readonly when: string;
  readonly vendor: "allows" | "denies" | "changes";
  readonly hardened: "denies" | "asks" | "changes";
  /** How a program ends so; absent where it is no end of a program. */
  readonly example?: Ended & { readonly event: string; readonly onFailure?: "deny" | undefined };
}

/** Reads one text as JSON; undefined when it is none. */
export type ParseJson = (text: string) => JsonValue | undefined;

/** A vendor's protocol: what its hooks read and how their ends are read. */
export interface Dialect {
  readonly name: DialectName;
  readonly tools: ToolNames;
  matches(hook: DialectHook, call: DialectCall): boolean;
  /** What the program reads. */
  stdin(hook: DialectHook, call: DialectCall, session: SessionFacts): JsonObject;
  /** The vendor's own variables. */
  env(place: {
    readonly workspace: string;
    readonly pluginRoot: string | undefined;
    readonly sessionId: string;
  }): Record<string, string>;
  decode(hook: Pick<DialectHook, "event" | "onFailure">, ended: Ended, parse: ParseJson): Decoded;
  readonly differences: readonly Difference[];
}
