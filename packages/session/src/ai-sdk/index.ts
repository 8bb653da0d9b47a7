export { openTurn, type AiResult, type SessionTurn, type SessionTurnOptions } from "./session-turn.ts";
