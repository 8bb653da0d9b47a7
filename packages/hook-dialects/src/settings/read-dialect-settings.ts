import { isJsonObject, parseStrict } from "@basis/core";
import type { DialectHook, DialectName } from "../bridge/dialect.ts";
import { DialectError } from "../dialect-error.ts";
import { readClaudeSettings } from "./claude-settings.ts";
import { readCodexSettings } from "./codex-settings.ts";
import { readCopilotSettings } from "./copilot-settings.ts";
import { readCursorSettings } from "./cursor-settings.ts";
import { Entry, EntryProblem, type LeftOut, type SettingsReading } from "./entry.ts";
import { readGeminiSettings } from "./gemini-settings.ts";
import { ownPlatform, type Platform } from "./platform.ts";
import { readWindsurfSettings } from "./windsurf-settings.ts";

/** Most bytes of a settings file: 1 MiB. */
export const MAX_SETTINGS_BYTES: number = 1024 * 1024;

/** Which file's text is read, and what of it may be missing. */
export interface ReadSettingsOptions {
  readonly dialect: DialectName;
  /** For the errors. */
  readonly path: string;
  /** Events, or JSON pointers of entries, that the host goes without although they could have stopped something. */
  readonly leaveOut?: readonly string[] | undefined;
  /** Whose lines are chosen where an entry has one for each system. Default: that of this process. */
  readonly platform?: Platform | undefined;
}

/** The hooks of a settings file, and the entries that are not among them. */
export interface DialectSettings {
  readonly dialect: DialectName;
  readonly path: string;
  readonly hooks: readonly DialectHook[];
  /** What only tells, and what `leaveOut` names. */
  readonly leftOut: readonly LeftOut[];
}

const READERS: Readonly<Record<DialectName, (document: Entry, platform: Platform) => SettingsReading>> = {
  claude: readClaudeSettings,
  gemini: readGeminiSettings,
  codex: readCodexSettings,
  cursor: readCursorSettings,
  copilot: readCopilotSettings,
  windsurf: readWindsurfSettings,
};

/**
 * Reads the text of a settings file whole, or not at all.
 *
 * @throws DialectError `invalid_file` for a text that is not of the format, `unsupported_entry` naming every entry that
 *   could stop something, cannot be asked here and is not in `leaveOut`.
 */
export function readDialectSettings(text: string, options: ReadSettingsOptions): DialectSettings {
  const { dialect, path, leaveOut = [] } = options;
  const { hooks, leftOut, refused } = readText(text, options);
  const isLeft = ({ event, pointer }: LeftOut | DialectHook): boolean =>
    leaveOut.includes(event) || leaveOut.includes(pointer);
  const entries = refused.filter((entry) => !isLeft(entry)).map(({ pointer, why }) => ({ pointer, why }));
  if (entries.length > 0) {
    const listed = entries.map(({ pointer, why }) => `${pointer}: ${why}`).join("; ");
    throw new DialectError(
      "unsupported_entry",
      `${path} has entries that cannot be asked here, and nothing of it is used: ${listed}; ` +
        `guard these in another way and name them in leaveOut`,
      { details: { path, entries } },
    );
  }
  const chosen = hooks
    .filter(isLeft)
    .map(({ pointer, event }) => ({ pointer, event, why: "leaveOut names it" }));
  const kept = hooks.filter((hook) => !isLeft(hook));
  return { dialect, path, hooks: kept, leftOut: [...leftOut, ...refused, ...chosen] };
}

function readText(text: string, { dialect, path, platform }: ReadSettingsOptions): SettingsReading {
  const parsed = parseStrict(text, { maxBytes: MAX_SETTINGS_BYTES });
  if (!parsed.ok) throw invalid(path, "", parsed.message);
  if (!isJsonObject(parsed.value)) throw invalid(path, "", "it must be an object");
  try {
    return READERS[dialect](new Entry(parsed.value, ""), platform ?? ownPlatform());
  } catch (error) {
    if (error instanceof EntryProblem) throw invalid(path, error.pointer, error.message);
    throw error;
  }
}

function invalid(path: string, pointer: string, message: string): DialectError {
  return new DialectError("invalid_file", `${path}${pointer === "" ? "" : `, ${pointer}`}: ${message}`, {
    details: { path, pointer },
  });
}
