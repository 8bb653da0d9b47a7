import type { CompletedCommand, Expected } from "./completion-spec.ts";

/** A script for bash that completes from the spec alone; sessions are asked of the command itself. */
export function bashCompletion(spec: readonly CompletedCommand[]): string {
  return `# basis completion for bash. Load it with: source <(basis completion bash)
_basis_sessions() {
  "\${COMP_WORDS[0]}" sessions list 2>/dev/null | awk 'NR > 1 { print $1 }'
}
_basis() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} path="" word i
  if [[ $current == "=" ]]; then current=""; elif [[ $before == "=" ]]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$path/$word" in
${paths(spec)}
    esac
  done
  COMPREPLY=()
  case "$path $before" in
${values(spec)}
  esac
  if [[ $current == -* ]]; then
    case "$path" in
${options(spec)}
    esac
    return
  fi
  case "$path" in
${words(spec)}
  esac
}
complete -o bashdefault -F _basis basis
`;
}

function keyOf({ path }: CompletedCommand): string {
  return path.map((word) => `/${word}`).join("");
}

function paths(spec: readonly CompletedCommand[]): string {
  return spec
    .filter(({ path }) => path.length > 0)
    .map((command) => `      ${keyOf(command)}) path=${keyOf(command)} ;;`)
    .join("\n");
}

function values(spec: readonly CompletedCommand[]): string {
  return spec
    .flatMap((command) =>
      command.options.flatMap(({ name, value }) =>
        value === undefined ? [] : [`    "${keyOf(command)} ${name}") ${reply(value)} return ;;`],
      ),
    )
    .join("\n");
}

function options(spec: readonly CompletedCommand[]): string {
  return spec
    .map((command) => `      "${keyOf(command)}") ${list(command.options.map(({ name }) => name))} ;;`)
    .join("\n");
}

function words(spec: readonly CompletedCommand[]): string {
  return spec
    .map((command) => {
      const { verbs, word } = command;
      const expected: Expected =
        verbs.length > 0
          ? { kind: "words", words: verbs.map(([verb]) => verb) }
          : (word ?? { kind: "anything" });
      return `    "${keyOf(command)}") ${reply(expected)} ;;`;
    })
    .join("\n");
}

function reply(expected: Expected): string {
  switch (expected.kind) {
    case "words":
      return list(expected.words);
    case "session":
      return 'COMPREPLY=($(compgen -W "$(_basis_sessions)" -- "$current"));';
    case "file":
      return 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"));';
    case "anything":
      return ":;";
  }
}

function list(choices: readonly string[]): string {
  return `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current"));`;
}
