import { userInfo } from "node:os";
import type { Environment } from "../config/data-dir.ts";
import { StartError } from "../config/start-error.ts";
import { askLine, isInteractive } from "./ask-line.ts";
import { checkGrantToken, readTokenFile } from "./grant-token.ts";
import { refuseAgents } from "./lineage.ts";

/** What a person is to say yes to. */
export interface Consent {
  /** What the command would do, as its refusal names it: `approvals allow`. */
  readonly what: string;
  /** Shown before the question; from outside, made visible. */
  readonly lines: readonly string[];
  /** Asked last, without its answers: `Allow this call?` */
  readonly question: string;
  /** Where the token lies that answers in a person's place. */
  readonly tokenFile?: string | undefined;
  /** That token itself, where it was held out another way. */
  readonly token?: string | undefined;
  /** False for what no token answers. Default true. */
  readonly takesToken?: boolean | undefined;
  readonly env: Environment;
  readonly dataDir: string;
  readonly directory: string;
  readonly signal: AbortSignal;
}

/**
 * Makes sure that a person, and no agent, is behind a command that grants authority: the whole word yes at a terminal,
 * or the token of `basis approvals token`. Answers who it was; undefined when the person said no.
 *
 * @throws StartError `trust` for an agent, a wrong token, or when there is neither terminal nor token.
 */
export async function personBehind(consent: Consent): Promise<string | undefined> {
  const { what, lines, question, tokenFile, env, signal } = consent;
  refuseAgents(env, what);
  const token = tokenFile === undefined ? consent.token : readTokenFile({ ...consent, file: tokenFile });
  if (token !== undefined) {
    checkGrantToken(token, consent.dataDir);
    return `${userName()} with the token`;
  }
  const terminal = { input: process.stdin, output: process.stderr };
  if (!isInteractive(terminal)) throw new StartError("trust", [nobody(consent)]);
  const text = [...lines, `${question} Type yes, anything else leaves it as it is: `].join("\n");
  const word = await askLine(terminal, text, signal);
  return word.toLowerCase() === "yes" ? `${userName()} at a terminal` : undefined;
}

function nobody({ takesToken = true }: Consent): string {
  const here = "nobody can be asked here; run it in a terminal";
  if (!takesToken) return here;
  return `${here}, or hold out the token that 'basis approvals token' made: --token-file FILE, or - for standard input`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
