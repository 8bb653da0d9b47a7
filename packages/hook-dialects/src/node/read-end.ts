import { parseStrict, type JsonValue } from "@basis/core";
import { HookError, type FailureCode } from "@basis/hooks";
import type { CommandOutcome } from "@basis/hooks/process";
import type { Decoded, Dialect, DialectHook, Said } from "../bridge/dialect.ts";

/** What an ended program comes to, and what it wrote to its error output. */
export interface Ending {
  readonly decoded: Decoded;
  /** For the trail and the reporter, never for a model. */
  readonly stderr: string;
}

const ALLOW: Said = { kind: "allow" };
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const MAX_ANSWER_DEPTH = 256;

/** Why a hook could not answer, in words that quote nothing it printed. */
export function failure(code: FailureCode, message: string, said: string = message): HookError<FailureCode> {
  return new HookError(code, message, { details: { said } });
}

/** There is no file of this name that may be executed. */
export function noSuchProgram(name: string): Ending {
  return fell("not_started", "could not be started: there is no such program", name);
}

/** Reads how a hook's program came to its end. @throws HookError `aborted`, which no level lets pass. */
export function readEnd(
  end: CommandOutcome,
  { hook, dialect }: { readonly hook: DialectHook; readonly dialect: Dialect },
): Ending {
  switch (end.kind) {
    case "not_started":
      return fell("not_started", "could not be started", end.error.message);
    case "timed_out":
    case "late":
      return fell("timed_out", `did not answer within ${hook.timeoutMs}ms`);
    case "aborted":
      throw failure("aborted", "was cut off and killed because the turn was aborted");
    case "output_too_large":
      return fell("output_too_large", "printed more than is read");
    case "lost":
      return fell("exited", "was killed because the launcher that had started it ended");
    default:
      return readExit(end, { hook, dialect });
  }
}

function readExit(
  end: Extract<CommandOutcome, { kind: "exited" }>,
  { hook, dialect }: { readonly hook: DialectHook; readonly dialect: Dialect },
): Ending {
  const { exitCode, stdout, stderr } = end;
  const decoded = dialect.decode(hook, { exitCode, stdout: stdout.text, stderr }, parseJson);
  const isWhole = stdout.exact && stdout.overwritten !== true;
  if (isWhole || decoded.kind === "deny" || decoded.kind === "fell") return { decoded, stderr };
  const message = "printed something that is not a decision (it is not UTF-8 text, or it was overwritten)";
  return { decoded: { kind: "fell", code: "invalid_answer", message, vendor: decoded }, stderr };
}

function parseJson(text: string): JsonValue | undefined {
  const parsed = parseStrict(text, { maxBytes: MAX_ANSWER_BYTES, maxDepth: MAX_ANSWER_DEPTH });
  return parsed.ok ? parsed.value : undefined;
}

function fell(code: FailureCode, message: string, stderr: string = ""): Ending {
  return { decoded: { kind: "fell", code, message, vendor: ALLOW }, stderr };
}
