import { forgetGrantToken, makeGrantToken } from "../../approvals/grant-token.ts";
import { personBehind } from "../../approvals/person.ts";
import { dataDirectory, openDataDirectory } from "../../config/data-dir.ts";
import { defineCommand, type Command } from "../arguments/command.ts";
import { exitCode } from "../terminal/exit-code.ts";
import { flag } from "../arguments/option.ts";
import { answer, progress } from "../terminal/output-format.ts";

/** `basis approvals token`. */
export const tokenCommand: Command = defineCommand({
  name: "approvals token",
  about: "Make the token by which your own scripts answer approvals; the one before no longer counts.",
  more: [
    "It is printed once, and only its digest is kept. Hold it where no agent can read it, such as a secret store, and give it to --token-file - on standard input; it never stands in arguments.",
  ],
  options: { revoke: flag("forget the token without making another") },
  examples: [["basis approvals token", "at a terminal"]],
  async run({ options }, { env, directory, interrupt }) {
    const dataDir = openDataDirectory(dataDirectory(env), directory);
    const revoke = options.revoke ?? false;
    const by = await personBehind({
      what: "approvals token",
      lines: [],
      question: revoke ? "Forget the token?" : "Make a token that can answer approvals?",
      takesToken: false,
      env,
      dataDir,
      directory,
      signal: interrupt.signal,
    });
    if (by === undefined) {
      progress("nothing was changed");
      return exitCode.failed;
    }
    if (revoke) progress(forgetGrantToken(dataDir) ? "the token no longer counts" : "there was no token");
    else answer(makeGrantToken(dataDir));
    return exitCode.ok;
  },
});
