export type { FrameworkMessage } from "../framework-message.ts";
export { openTurn, type AiResult, type SessionTurn, type SessionTurnOptions } from "./session-turn.ts";
