export { createRuntime, type PreparedRun, type Runtime, type RuntimeOptions } from "./compose.ts";
export type { BoundsOptions } from "./agent/run-bounds.ts";
export { eventSchema, type BasisEvent, type EventData, type EventType } from "./events/event-schema.ts";
export type { EventListener } from "./events/event-emitter.ts";
export { openWorkspaceFacts, type WorkspaceFacts, type WorkspaceOptions } from "./host/workspace.ts";
export type { RunRequest } from "./host/prepare-run.ts";
export type { Model, ModelEvent, ModelMessage, ModelRequest } from "./providers/model.ts";
export { openModelSource, type ModelSource, type ModelSourceOptions } from "./providers/model-source.ts";
export { memoryState, openState, type HostState, type StateOptions } from "./store/open-state.ts";
