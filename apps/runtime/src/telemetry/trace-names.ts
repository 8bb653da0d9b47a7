// Every name that is written into a trace. GenAI semantic conventions, v1.41 and the conventions' own v0.1; what they have no
// name for stands under `basis.`.

/** What a span is called; the second word is the agent, model or tool, as the conventions ask. */
export const spanNames = {
  invokeAgent: (agent: string): string => `invoke_agent ${agent}`,
  chat: (model: string): string => `chat ${model}`,
  executeTool: (tool: string): string => `execute_tool ${tool}`,
  hooks: "basis.hooks",
  approval: "basis.approval",
  fork: "basis.fork",
} as const;

/** Points in time on a span. */
export const spanEvents = {
  hookFailed: "basis.hook_failed",
  callRefused: "basis.call_refused",
  outputAttempt: "basis.output_attempt",
  retry: "basis.retry",
  compaction: "basis.compaction",
} as const;

/** Attributes of the conventions. */
export const genAi = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  conversation: "gen_ai.conversation.id",
  agentName: "gen_ai.agent.name",
  agentId: "gen_ai.agent.id",
  requestModel: "gen_ai.request.model",
  outputType: "gen_ai.output.type",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  errorType: "error.type",
} as const;

/** Attributes of the conventions that hold what was said; only where the host asked for content. */
export const genAiContent = {
  systemInstructions: "gen_ai.system_instructions",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
} as const;

/** Attributes of our own. */
export const own = {
  runId: "basis.run.id",
  outcome: "basis.run.outcome",
  stoppedBy: "basis.run.stopped_by",
  subtreeInputTokens: "basis.usage.subtree.input_tokens",
  subtreeOutputTokens: "basis.usage.subtree.output_tokens",
  usageComplete: "basis.usage.complete",
  hookEvent: "basis.hook.event",
  hookDecision: "basis.hook.decision",
  hookParticipants: "basis.hook.participants",
  hookName: "basis.hook.name",
  approvalLevel: "basis.approval.level",
  approvalDecision: "basis.approval.decision",
  approvalBy: "basis.approval.by",
  approvalId: "basis.approval.id",
  outputAttempt: "basis.output.attempt",
  outputVerdict: "basis.output.verdict",
  compactionOutcome: "basis.compaction.outcome",
  compactionBefore: "basis.compaction.tokens_before",
  compactionAfter: "basis.compaction.tokens_after",
  retryAttempt: "basis.retry.attempt",
  retryDelayMs: "basis.retry.delay_ms",
  forkSource: "basis.fork.source_session",
  forkSession: "basis.fork.session",
  forkOperation: "basis.fork.operation_id",
} as const;

/** Of an error whose class is not known. */
export const OTHER_ERROR = "_OTHER";

/** Provider names as the conventions list them; any other goes as it is. */
export const providerNames: ReadonlyMap<string, string> = new Map([["google", "gcp.gemini"]]);
