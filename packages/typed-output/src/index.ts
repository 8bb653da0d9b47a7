export type { Validate, ValidateContext, ValidateDecision } from "./check-candidate.ts";
export type { FromJsonSchema } from "./from-json-schema.ts";
export type { SiblingPolicy } from "./gate-round.ts";
export {
  createLadderMemory,
  type LadderMemory,
  type LadderMemoryOptions,
  type RefusedStep,
} from "./ladder-memory.ts";
export type { LadderStep, ProviderRefusal, Rung } from "./ladder.ts";
export type { Ledger, LedgerEntry } from "./ledger.ts";
export { lint, type LintWarning } from "./lint.ts";
export type { Dialect, DialectLimits, DialectName, LimitCount } from "./lowering/index.ts";
export {
  OutputError,
  type DefinitionProblem,
  type OutputErrorCode,
  type OutputErrorDetails,
  type OutputErrorOptions,
} from "./output-error.ts";
export type { OutputOptions } from "./output-options.ts";
export type {
  AttemptRecord,
  AttemptVerdict,
  Degradation,
  Normalisation,
  OutputAttempt,
  OutputBound,
  OutputIssue,
  OutputPlan,
  OutputStatus,
} from "./output-result.ts";
export {
  defineOutput,
  type DefinitionOptions,
  type JsonSchemaDefinition,
  type OutputSpec,
  type StandardDefinition,
} from "./output-spec.ts";
export { reserve, type OutputReservation, type ReserveOptions } from "./reserve-output.ts";
export { output, runOutput, type OutputArguments, type OutputSubject } from "./run-output.ts";
export type {
  CompiledSchema,
  CompileOptions,
  JsonKind,
  SchemaDraft,
  SchemaIssue,
  SchemaValidator,
} from "./schema-validator.ts";
export type {
  Admission,
  EndOfTurn,
  FinishReason,
  RefusalVerdict,
  RefusedCall,
  ReplyFacts,
  RoundOffer,
  RoundVerdict,
  SettleContext,
  Settlement,
  SiblingOutcome,
  TerminalGate,
  ToolChoice,
} from "./terminal-gate.ts";
export { detectDraft } from "./schema-walk.ts";
export type { SpecCheck } from "./show-spec.ts";
export type { ResponseFormat, TerminalTool } from "./terminal-tool.ts";
export type {
  DeltaVerdict,
  OutputStream,
  OutputStreamEvent,
  ReplyDelta,
  StreamOptions,
} from "./stream/stream-event.ts";
export { streamOutput, type StreamArguments } from "./stream-output.ts";
export { unionOutput, type OutputVariants, type UnionDefinition, type UnionValue } from "./union-output.ts";
export type { ModelCapabilities, TurnBounds, TurnRequest, TurnRunner } from "./turn-runner.ts";
