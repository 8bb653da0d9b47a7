export type { CallRecord, CallSubject, NotAsked, TrailEntry } from "./audit-trail.ts";
export { createHookChain, type AskOptions, type HookChain, type HookChainOptions } from "./hook-chain.ts";
export type {
  AnswerCheck,
  HookAnswer,
  HookFailure,
  HookOutcome,
  PostOutcome,
  PreOutcome,
  Verdict,
} from "./hook-decision.ts";
export {
  HookError,
  type AnyHookError,
  type ConfigurationProblem,
  type FailureCode,
  type FailureDetails,
  type HookErrorCode,
  type HookErrorDetails,
} from "./hook-error.ts";
export {
  fromCall,
  fromResult,
  withInput,
  withOutput,
  type CallEffect,
  type CallEvent,
  type EffectOf,
  type HookCall,
  type HookContext,
  type HookEvent,
  type HookRequest,
  type PostToolRequest,
  type PreToolRequest,
  type RequestFacts,
  type RequestOptions,
} from "./hook-request.ts";
export {
  shadow,
  type AskContext,
  type HookParticipant,
  type Interceptor,
  type OnFailure,
  type Participant,
  type ParticipantInfo,
  type ParticipantRank,
} from "./participant.ts";
export type { ParticipantFilter } from "./participant-filter.ts";
export type { HookReport, Reporter } from "./hook-report.ts";
