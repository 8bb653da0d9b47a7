export { recordingInterceptor, type AskRecord, type RecordingInterceptor } from "./recording-interceptor.ts";
export { sampleCall } from "./sample-call.ts";
export {
  scriptedHook,
  scriptedInterceptor,
  type Scripted,
  type ScriptedAnswer,
  type ScriptedHookOptions,
  type ScriptedOptions,
} from "./scripted-participant.ts";
