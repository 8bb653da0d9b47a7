import { bashCompletion } from "../../completion/bash-completion.ts";
import {
  completionSpec,
  type CompletedCommand,
  type LoadedCommands,
} from "../../completion/completion-spec.ts";
import { fishCompletion } from "../../completion/fish-completion.ts";
import { zshCompletion } from "../../completion/zsh-completion.ts";
import { commandTable } from "../command-table.ts";
import { defineCommand, type Command } from "../arguments/command.ts";
import { exitCode, UsageError } from "../terminal/exit-code.ts";

const scripts: ReadonlyMap<string, (spec: readonly CompletedCommand[]) => string> = new Map([
  ["bash", bashCompletion],
  ["zsh", zshCompletion],
  ["fish", fishCompletion],
]);

/** `basis completion`. */
export const completionCommand: Command = defineCommand({
  name: "completion",
  about: "Print a script that completes basis in a shell: commands, options, values, sessions.",
  more: [
    "It is made of the same tables that the command line is read by. Names of sessions are looked up when you press Tab.",
  ],
  word: { name: "bash|zsh|fish", about: "the shell", required: true },
  options: {},
  examples: [
    ["source <(basis completion bash)", "in ~/.bashrc"],
    ["source <(basis completion zsh)", "in ~/.zshrc, after compinit"],
    ["basis completion fish > ~/.config/fish/completions/basis.fish", "once"],
  ],
  async run({ word }) {
    const script = scripts.get(word!);
    if (script === undefined)
      throw new UsageError([
        `there is no completion for '${word}'; name one of: ${[...scripts.keys()].join(", ")}`,
        "see: basis completion --help",
      ]);
    process.stdout.write(script(completionSpec(await everyCommand())));
    return exitCode.ok;
  },
});

async function everyCommand(): Promise<LoadedCommands> {
  const loaded = [...commandTable].map(
    async ([name, { about, load }]) => [name, { about, entry: await load() }] as const,
  );
  return new Map(await Promise.all(loaded));
}
