export { openSession, type OpenSessionOptions, type StoredSession } from "./stored-session.ts";
