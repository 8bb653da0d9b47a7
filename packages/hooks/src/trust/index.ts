export { pinProgram, type PinProgramOptions, type ProgramPin, type ProgramToPin } from "./pin-program.ts";
export {
  inspectTrust,
  readTrust,
  revokeTrust,
  trustWorkspace,
  type InspectTrustOptions,
  type TrustSource,
  type TrustWorkspaceOptions,
  type WorkspaceTrustOptions,
} from "./trust-workspace.ts";
export type {
  EntryPin,
  EntryTrust,
  FilePin,
  TrustRecord,
  TrustState,
  WorkspaceTrustReport,
} from "./trust-record.ts";
