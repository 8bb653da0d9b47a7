export type { FrameworkMessage } from "../framework-message.ts";
export { openSession, type OpenSessionOptions, type StoredSession } from "./stored-session.ts";
