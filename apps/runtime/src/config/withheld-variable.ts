import { isModelKey } from "../providers/provider-settings.ts";
import type { Environment } from "./data-dir.ts";
import { STORE_VARIABLE } from "./store-place.ts";

/** The variable with the token that a server asks for. */
export const SERVER_TOKEN_VARIABLE = "BASIS_SERVER_TOKEN";

/** What a variable is that no program of a workspace is given; undefined for one that may be granted. */
export function whyWithheld(variable: string, env: Environment): string | undefined {
  if (variable === SERVER_TOKEN_VARIABLE) return "the token of this host's server";
  if (variable === STORE_VARIABLE) return "the address of this host's store, with its password";
  return isModelKey(variable, env) ? "a model provider's key" : undefined;
}
