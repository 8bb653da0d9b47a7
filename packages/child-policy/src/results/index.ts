export { commandResult, type CommandEnd } from "./command-result.ts";
export { delegationResult, type DelegationEnd } from "./delegation-result.ts";
